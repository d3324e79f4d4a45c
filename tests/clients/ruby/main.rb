# frozen_string_literal: true

# Test of the generated Ruby client: signs in, creates an app, lists it, and reads the features of the tiers.

require 'labs_client'

NAME = 'Made by Ruby'

def check(what, found, expected)
  raise "#{what}: #{found.inspect} instead of #{expected.inspect}" unless found == expected
end

def feature(tiers, tier_code, code)
  one = tiers.find { |tier| tier.code == tier_code }.features.find { |feature| feature.code == code }
  [one.limit, one.value, one.enabled, one.unlimited]
end

# The address is the server URL of the served contract.
person = LabsClient::SessionInput.new(email: ENV.fetch('LABS_TEST_PERSON_EMAIL'), password: ENV.fetch('LABS_TEST_PERSON_PASSWORD'))
session = LabsClient::AuthApi.new.auth_sessions_create(person)
LabsClient.configure { |config| config.access_token = session.access_token }

apps = LabsClient::MarketplaceApi.new
made = apps.marketplace_apps_create(LabsClient::AppCreate.new(name: NAME))
check('the name of the app', made.name, NAME)
listed = apps.marketplace_apps_list(limit: 100).data.select { |app| app.uuid == made.uuid }
check('the listed app', listed.map(&:name), [NAME])
check('the role', LabsClient::SystemApi.new.system_me_get.role, LabsClient::PartnerRole::ADMINISTRATOR)

tiers = LabsClient::SubscriptionApi.new.subscription_public_tiers_list.data
check('apps of FREE', feature(tiers, 'FREE', 'apps'), [3, 3, nil, false])
check('apps of SCALE', feature(tiers, 'SCALE', 'apps'), [nil, nil, nil, true])
check('early access of FREE', feature(tiers, 'FREE', 'early_access'), [nil, false, false, false])
check('early access of SCALE', feature(tiers, 'SCALE', 'early_access'), [nil, true, true, false])
