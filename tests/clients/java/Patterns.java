import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Compiles the regular expressions in JSON files. Clients in Java and Kotlin use this engine. The one of .NET accepts all
 * constructs that are allowed here.
 */
public final class Patterns {
    /** Constructs of Java that .NET does not have: possessive quantifiers, quotes, intersections, and its own escapes. */
    private static final Pattern ONLY_JAVA = Pattern.compile("[*+?}]\\+|\\\\[QEhHRXzN]|&&|\\\\x\\{|\\\\p\\{(java|Is|In)");

    public static void main(String[] files) throws Exception {
        int failed = 0;
        for (String file : files) {
            for (JsonNode node : new ObjectMapper().readTree(Path.of(file).toFile())) {
                String pattern = node.asText();
                try {
                    Pattern.compile(pattern);
                    if (!ONLY_JAVA.matcher(pattern).find()) {
                        continue;
                    }
                    System.err.println(pattern + ": .NET does not have all of it");
                } catch (PatternSyntaxException problem) {
                    System.err.println(problem.getMessage());
                }
                failed++;
            }
        }
        if (failed > 0) {
            throw new AssertionError(failed + " regular expressions");
        }
    }
}
