import java.nio.file.Path;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import labs.ApiClient;

/** Test of the generated Java client: reads each example of the contract, and writes it again. */
public final class Examples {
    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ApiClient().getObjectMapper();
        JsonNode examples = mapper.readTree(Path.of(System.getenv("LABS_TEST_MADE"), "examples.json").toFile());
        int failed = 0;
        for (JsonNode example : examples) {
            String schema = example.get("schema").asText();
            try {
                mapper.writeValueAsString(mapper.treeToValue(example.get("value"), Class.forName("labs.model." + schema)));
            } catch (Exception problem) {
                System.err.println(schema + ", " + example.get("place").asText() + ": " + problem.getMessage());
                failed++;
            }
        }
        if (failed > 0) {
            throw new AssertionError(failed + " of " + examples.size() + " examples failed");
        }
    }
}
