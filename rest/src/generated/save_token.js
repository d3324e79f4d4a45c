// The next requests send the token that this response contains.
const session = pm.response.code === 200 ? pm.response.json() : {};
if (session.access_token) {
  pm.collectionVariables.set("access_token", session.access_token);
  pm.collectionVariables.set("access_token_expires_at", Date.now() + (session.expires_in - 30) * 1000);
}
