# frozen_string_literal: true

# Test of the generated Ruby client: reads each example of the contract, and writes it again.

require 'json'
require 'labs_client'

examples = JSON.parse(File.read(File.join(ENV.fetch('LABS_TEST_MADE'), 'examples.json')), symbolize_names: true)
failed = examples.filter_map do |example|
  model = LabsClient.const_get(example[:schema]).build_from_hash(example[:value])
  JSON.generate(model.to_hash) if model.respond_to?(:to_hash)
  nil
rescue StandardError, SystemStackError => e
  "#{example[:schema]}, #{example[:place]}: #{e.message}"
end
abort("#{failed.join("\n")}\n#{failed.length} of #{examples.length} examples failed") unless failed.empty?
