<?php

/** Loads the generated client and Debian's Guzzle. Each warning of PHP is an error, except deprecations in libraries. */

declare(strict_types=1);

set_error_handler(static function (int $level, string $text, string $file, int $line): bool {
    if ($level === E_DEPRECATED && !str_starts_with($file, getenv('LABS_TEST_MADE'))) {
        return true;
    }
    throw new ErrorException($text, 0, $level, $file, $line);
});
require 'GuzzleHttp/autoload.php';
spl_autoload_register(static function (string $class): void {
    $file = getenv('LABS_TEST_MADE') . '/php/lib/' . strtr(substr($class, strlen('Labs\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Labs\\') && is_file($file)) {
        require $file;
    }
});
