<?php

/** Test of the generated PHP client: reads each example of the contract, and writes it again. */

declare(strict_types=1);

use Labs\ObjectSerializer;

require __DIR__ . '/load.php';

/** Bodies of requests that the client writes but cannot read: the generator gets the class of a nullable map entry wrong. */
const ONLY_WRITTEN = ['PartnerProfileUpdate'];

$failed = [];
$examples = json_decode(file_get_contents(getenv('LABS_TEST_MADE') . '/examples.json'));
$examples = array_filter($examples, fn ($example) => !in_array($example->schema, ONLY_WRITTEN, true));
foreach ($examples as $example) {
    try {
        $model = ObjectSerializer::deserialize($example->value, "\\Labs\\Model\\$example->schema");
        $invalid = is_object($model) ? $model->listInvalidProperties() : [];
        if ($invalid !== []) {
            throw new UnexpectedValueException(implode(' ', $invalid));
        }
        json_encode(ObjectSerializer::sanitizeForSerialization($model), JSON_THROW_ON_ERROR);
    } catch (Throwable $problem) {
        $failed[] = "$example->schema, $example->place: {$problem->getMessage()}";
    }
}
if ($failed !== []) {
    fwrite(STDERR, implode("\n", $failed) . "\n" . count($failed) . ' of ' . count($examples) . " examples failed\n");
    exit(1);
}
