// Issues a token for the machine client, and a new one after it has expired. A user signs in, or enters a token as
// access_token, and leaves client_id empty.
const known = (name) => pm.variables.get(name);
const holds = known("access_token") && Date.now() < Number(known("access_token_expires_at"));
if (known("client_id") && known("client_secret") && !holds) {
  const fields = { grant_type: "client_credentials", client_id: known("client_id"), client_secret: known("client_secret") };
  const form = Object.entries(fields).map(([key, value]) => ({ key, value }));
  const url = `${known("base_url")}/v1/oauth/token`;
  pm.sendRequest({ url, method: "POST", body: { mode: "urlencoded", urlencoded: form } }, (error, answer) => {
    if (error || answer.code !== 200) {
      console.error("No token:", error || answer.text());
      return;
    }
    const token = answer.json();
    pm.collectionVariables.set("access_token", token.access_token);
    pm.collectionVariables.set("access_token_expires_at", Date.now() + (token.expires_in - 30) * 1000);
  });
}
