//! Settings of the object storage, and of the public address of media.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::Args;
use labs_schema::media::store::{Bucket, MediaPlace};
use reqwest::Url;

use super::values::switch;

/// Hint about the valid forms.
const FORM: &str = "Write s3://bucket/prefix, or a folder";

/// Maximum length in bytes of the public address of media: the contract allows 500 for complete addresses.
const LONGEST: usize = 400;

/// Settings of the object storage.
#[derive(Args, Clone, Debug)]
pub struct MediaArgs {
    /// Folder of the uploaded files
    #[arg(long, env = "LABS_MEDIA_FOLDER", default_value = "<folder>/media", value_name = "PATH")]
    media_folder: String,

    /// Bucket of the uploaded files, instead of a folder: s3://bucket/prefix; endpoint, region and keys come
    /// from the variables that begin with AWS_
    #[arg(long, env = "LABS_MEDIA_URL", value_name = "URL", hide_env_values = true)]
    media_url: Option<String>,
}

impl MediaArgs {
    /// Returns the configured storage, by default in this folder of the service.
    ///
    /// # Errors
    /// If both settings are set, or an address cannot be used.
    pub fn settle(&self, folder: &Path) -> anyhow::Result<MediaPlace> {
        let place_of_folder = match self.media_folder.strip_prefix("<folder>/") {
            Some(rest) => (folder.join(rest), false),
            None => (PathBuf::from(&self.media_folder), true),
        };
        place(place_of_folder, self.media_url.as_deref(), std::env::vars_os())
    }
}

/// Returns the storage of the uploaded files: this address if set, else the folder, with a flag that states whether the
/// folder was configured. A bucket also gets the variables that begin with `AWS_`.
///
/// # Errors
/// If both are set, or the address or an endpoint cannot be used. No message contains a possible secret.
fn place(
    (folder, is_chosen): (PathBuf, bool),
    url: Option<&str>,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> anyhow::Result<MediaPlace> {
    let Some(text) = url.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(MediaPlace::Folder(folder)) };
    if is_chosen {
        bail!("LABS_MEDIA_URL and LABS_MEDIA_FOLDER both name the place for uploaded files: set only one of them");
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(_) if !text.contains(':') => return Ok(MediaPlace::Folder(text.into())),
        Err(error) => bail!("LABS_MEDIA_URL cannot be parsed: {error}. {FORM}"),
    };
    if url.scheme() == "file" {
        let folder = url.to_file_path().ok().filter(|_| url.query().is_none() && url.fragment().is_none());
        let folder = folder.ok_or_else(|| anyhow!("LABS_MEDIA_URL names no folder: write file:///srv/media"))?;
        return Ok(MediaPlace::Folder(folder));
    }
    bucket(&url, variables).map(MediaPlace::Bucket)
}

fn bucket(url: &Url, variables: impl IntoIterator<Item = (OsString, OsString)>) -> anyhow::Result<Bucket> {
    if url.scheme() != "s3" {
        bail!(
            "LABS_MEDIA_URL begins with {}:, which is not a supported storage. {FORM}; for an S3-compatible server, \
             set AWS_ENDPOINT_URL to its address",
            url.scheme()
        );
    }
    if !url.username().is_empty() || url.password().is_some() || url.port().is_some() {
        bail!(
            "LABS_MEDIA_URL must not contain a user, password or port: set keys and endpoint in the variables \
             AWS_…. {FORM}"
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        bail!("LABS_MEDIA_URL must not contain ? or #: set other options in the variables AWS_…. {FORM}");
    }
    let (name, prefix) = (url.host_str().unwrap_or_default(), url.path().trim_matches('/'));
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if name.is_empty() || !is_name(name) {
        bail!("LABS_MEDIA_URL names no bucket. {FORM}");
    }
    if !prefix.is_empty() && prefix.split('/').any(|part| part.is_empty() || !is_name(part)) {
        bail!(
            "the prefix in LABS_MEDIA_URL may contain only letters, digits, dots, _ and -, with / between its parts. \
             {FORM}"
        );
    }
    let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    let is_setting = |(name, value): &(String, String)| name.starts_with("AWS_") && !value.is_empty();
    let settings: Vec<_> = variables.into_iter().filter_map(text).filter(is_setting).collect();
    ensure_endpoint(&settings)?;
    Ok(Bucket { name: name.to_owned(), prefix: prefix.to_owned(), settings })
}

/// Checks that an endpoint is only a server address, and uses TLS unless the settings allow plain HTTP.
fn ensure_endpoint(settings: &[(String, String)]) -> anyhow::Result<()> {
    let allowed = settings.iter().find(|(name, _)| name == "AWS_ALLOW_HTTP");
    let is_allowed = allowed.is_some_and(|(_, value)| switch(value).unwrap_or_default());
    for (name, value) in settings.iter().filter(|(name, _)| name.starts_with("AWS_ENDPOINT")) {
        let url = Url::parse(value).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let Some(url) = url else { bail!("{name} is not a server address: write https:// and its host") };
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
            bail!("{name} must not contain a user, password or query: set keys in separate variables");
        }
        if url.scheme() == "http" && !is_allowed {
            bail!(
                "{name} is http://: write https://, or set AWS_ALLOW_HTTP=true if the connection is secure without TLS"
            );
        }
    }
    Ok(())
}

/// Returns the public address of storefront media, if it is configured.
///
/// # Errors
/// If pages cannot use the address.
pub(super) fn public_url(text: &str) -> anyhow::Result<Option<String>> {
    let text = text.trim().trim_end_matches('/');
    if text.is_empty() {
        return Ok(None);
    }
    let refused = |what: &str| {
        anyhow!(
            "LABS_MEDIA_PUBLIC_URL {what}: write https://, a host and a path, for example https://cdn.example.com/media"
        )
    };
    let url = Url::parse(text).map_err(|error| refused(&format!("cannot be parsed ({error})")))?;
    if text.len() > LONGEST {
        return Err(refused("is too long: every media URL begins with it"));
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_near = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    match url.scheme() {
        "https" if url.has_host() => {}
        "http" if is_near => {}
        "http" => return Err(refused("is http://, which pages served over TLS do not load")),
        _ => return Err(refused("is not a web address")),
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(refused("contains a user, a query or a fragment, which would be public"));
    }
    Ok(Some(url.as_str().trim_end_matches('/').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(url: &str, variables: &[(&str, &str)]) -> anyhow::Result<MediaPlace> {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        place(("/srv/labs/media".into(), false), Some(url), variables)
    }

    #[test]
    fn media_place_is_a_folder_or_a_bucket() {
        for (url, told) in [
            ("", "/srv/labs/media"),
            ("/mnt/media", "/mnt/media"),
            ("media/of labs", "media/of labs"),
            ("file:///mnt/of%20labs", "/mnt/of labs"),
            ("s3://shop", "s3://shop"),
            ("s3://shop.media/a/b-c/", "s3://shop.media/a/b-c"),
        ] {
            assert_eq!(placed(url, &[]).unwrap().to_string(), told, "{url}");
        }
        let variables = [("AWS_SECRET_ACCESS_KEY", "hush"), ("AWS_REGION", ""), ("HOME", "ada"), ("AWSOME", "x")];
        let place = placed("s3://shop", &variables).unwrap();
        assert!(!format!("{place:?}").contains("hush"), "{place:?}");
        let MediaPlace::Bucket(bucket) = place else { panic!("{place}") };
        assert_eq!(bucket.settings, [("AWS_SECRET_ACCESS_KEY".to_owned(), "hush".to_owned())]);
        let both = place_of_both().unwrap_err().to_string();
        assert!(both.contains("LABS_MEDIA_URL and LABS_MEDIA_FOLDER"), "{both}");
    }

    fn place_of_both() -> anyhow::Result<MediaPlace> {
        place(("/mnt/media".into(), true), Some("s3://shop"), [])
    }

    #[test]
    fn invalid_media_url_error_states_fix_without_secrets() {
        for (url, said) in [
            ("s3://ada:hush@shop/media", "must not contain a user, password or port"),
            ("s3://shop:9000/media", "must not contain a user, password or port"),
            ("s3://shop/media?key=hush", "must not contain ? or #"),
            ("s3:///media", "names no bucket"),
            ("s3:shop", "names no bucket"),
            ("s3://shop/a//b", "the prefix in LABS_MEDIA_URL may contain only"),
            ("s3://shop/%2e%2e/b%20c", "the prefix in LABS_MEDIA_URL may contain only"),
            ("https://ada:hush@s3.example/shop", "begins with https:, which is not a supported storage"),
            ("file://elsewhere/media", "names no folder"),
            ("memory:///", "begins with memory:"),
            ("gs://shop/labs", "begins with gs:"),
            ("1:hush", "cannot be parsed"),
        ] {
            let told = placed(url, &[]).unwrap_err().to_string();
            assert!(told.contains(said) && told.contains("rite ") && !told.contains("hush"), "{url}: {told}");
        }
        for (value, said) in [
            ("minio:9000", "is not a server address"),
            ("https://ada:hush@minio", "must not contain a user, password or query"),
            ("http://minio:9000", "set AWS_ALLOW_HTTP=true if"),
        ] {
            let told = placed("s3://shop", &[("AWS_ENDPOINT_URL", value)]).unwrap_err().to_string();
            assert!(told.starts_with("AWS_ENDPOINT_URL ") && told.contains(said) && !told.contains("hush"), "{told}");
        }
        let plainly = [("AWS_ENDPOINT_URL", "http://minio:9000"), ("AWS_ALLOW_HTTP", "true")];
        assert!(placed("s3://shop", &plainly).is_ok());
    }

    #[test]
    fn media_base_url_must_be_reachable_by_browsers() {
        for (text, read) in [
            ("", None),
            ("https://cdn.example/media/", Some("https://cdn.example/media")),
            ("https://cdn.example", Some("https://cdn.example")),
            ("http://127.0.0.1:9000/x", Some("http://127.0.0.1:9000/x")),
            ("http://localhost", Some("http://localhost")),
            ("http://[::1]:80/x", Some("http://[::1]/x")),
        ] {
            assert_eq!(public_url(text).unwrap().as_deref(), read, "{text}");
        }
        assert!(public_url(&format!("https://cdn.example/{}", "a".repeat(400))).is_err());
        for text in [
            "cdn.example",
            "http://cdn.example",
            "http://127.0.0.1.example",
            "s3://shop",
            "https://",
            "/media",
            "https://ada:hush@cdn.example",
            "https://cdn.example/?hush",
            "https://cdn.example/#hush",
        ] {
            let told = public_url(text).unwrap_err().to_string();
            assert!(told.starts_with("LABS_MEDIA_PUBLIC_URL ") && told.contains("write https://"), "{text}: {told}");
            assert!(!told.contains("hush"), "{told}");
        }
    }
}
