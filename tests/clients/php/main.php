<?php

/** Test of the generated PHP client: signs in, creates an app, lists it, and reads the features of the tiers. */

declare(strict_types=1);

use Labs\Api\AuthApi;
use Labs\Api\MarketplaceApi;
use Labs\Api\SubscriptionApi;
use Labs\Api\SystemApi;
use Labs\Configuration;
use Labs\Model\AppCreate;
use Labs\Model\PartnerRole;
use Labs\Model\SessionInput;
use Labs\Model\TierFeature;

require __DIR__ . '/load.php';

const NAME = 'Made by PHP';

function check(string $what, mixed $found, mixed $expected): void
{
    if ($found !== $expected) {
        throw new UnexpectedValueException("$what: " . var_export($found, true) . ' instead of ' . var_export($expected, true));
    }
}

function find_feature(array $tiers, string $tierCode, string $code): TierFeature
{
    $tier = current(array_filter($tiers, fn ($tier) => $tier->getCode() === $tierCode));
    return current(array_filter($tier->getFeatures(), fn ($feature) => $feature->getCode() === $code));
}

// The address is the server URL of the served contract.
$labs = new Configuration();
$person = ['email' => getenv('LABS_TEST_PERSON_EMAIL'), 'password' => getenv('LABS_TEST_PERSON_PASSWORD')];
$session = (new AuthApi(config: $labs))->authSessionsCreate(new SessionInput($person));
$labs->setAccessToken($session->getAccessToken());

$apps = new MarketplaceApi(config: $labs);
$made = $apps->marketplaceAppsCreate(new AppCreate(['name' => NAME]));
check('the name of the app', $made->getName(), NAME);
$listed = array_filter($apps->marketplaceAppsList(limit: 100)->getData(), fn ($app) => $app->getUuid() === $made->getUuid());
check('the listed app', array_map(fn ($app) => $app->getName(), array_values($listed)), [NAME]);
check('the role', (new SystemApi(config: $labs))->systemMeGet()->getRole(), PartnerRole::ADMINISTRATOR);

$tiers = (new SubscriptionApi(config: $labs))->subscriptionPublicTiersList()->getData();
$values = fn (TierFeature $one) => [$one->getLimit(), $one->getValue(), $one->getEnabled(), $one->getUnlimited()];
check('apps of FREE', $values(find_feature($tiers, 'FREE', 'apps')), [3, 3, null, false]);
check('apps of SCALE', $values(find_feature($tiers, 'SCALE', 'apps')), [null, null, null, true]);
check('early access of FREE', $values(find_feature($tiers, 'FREE', 'early_access')), [null, false, false, false]);
check('early access of SCALE', $values(find_feature($tiers, 'SCALE', 'early_access')), [null, true, true, false]);
