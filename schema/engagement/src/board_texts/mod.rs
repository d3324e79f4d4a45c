//! HTML of the texts on the board. It is rendered and stored when a text is written, so that reading, voting and
//! following render nothing.
//!
//! Rows from before HTML was stored, and rows that an older version of the service wrote, have no HTML of the current
//! [`RENDERER`]. The job `TEXT_RENDERING` renders them. Until then, each read renders them, outside the async threads.

mod store;

use std::sync::Arc;

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::{Code, Fault};
use labs_core::markdown::{COMMENT, FEATURE_REQUEST, RENDERER, RenderedText, TextFormat, TextRenderer};
use labs_core::services::Services;
use sqlx::PgPool;
use uuid::Uuid;

/// Texts of each kind that one run of the job renders.
const FEW: i64 = 100;

/// The HTML stored with a text, and the version of the renderer that made it.
#[derive(Clone, Debug, Default, sqlx::FromRow)]
pub(crate) struct StoredHtml {
    body_html: Option<String>,
    body_renderer: i16,
}

impl StoredHtml {
    /// Returns the stored HTML, and renders the text only if the stored HTML is missing or outdated.
    ///
    /// # Errors
    /// [`Code::Unavailable`] if too many texts wait to be rendered.
    pub(crate) async fn or_render(self, cx: &RequestContext, body: &str, format: TextFormat) -> Result<String, Fault> {
        // A newer version of the service may run at the same time; its HTML is equally safe.
        if let Some(html) = self.body_html.filter(|_| self.body_renderer >= RENDERER) {
            return Ok(html);
        }
        cx.db.release().await;
        Ok(show(cx, body, format).await?.rendered.html.clone())
    }
}

/// Returns the HTML of a feature request with this text.
///
/// # Errors
/// [`Code::Unavailable`] if too many texts wait to be rendered.
pub(crate) async fn load_request_html(cx: &RequestContext, request_uuid: Uuid, body: &str) -> Result<String, Fault> {
    let stored = store::request_html(&cx.db, request_uuid).await?.unwrap_or_default();
    stored.or_render(cx, body, FEATURE_REQUEST).await
}

/// Renders a text for display.
///
/// # Errors
/// [`Code::Unavailable`] if too many texts wait to be rendered.
pub(crate) async fn show(cx: &RequestContext, body: &str, format: TextFormat) -> Result<Arc<RenderedText>, Fault> {
    cx.services.state::<TextRenderer>().show(body, format).await
}

/// Stores the HTML of texts that have no HTML of the current version, and returns their number. Several replicas may
/// run it at once.
///
/// # Errors
/// If the database does not answer.
pub async fn render_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let (db, renderer) = (Db::from_pool(pool.clone()), services.state::<TextRenderer>());
    let requests = store::due_requests(&db, RENDERER, FEW).await?;
    let comments = store::due_comments(&db, RENDERER, FEW).await?;
    let requests = requests.into_iter().map(|text| (text, FEATURE_REQUEST));
    let mut stored = 0;
    for (text, format) in requests.chain(comments.into_iter().map(|text| (text, COMMENT))) {
        let shown = match renderer.show(&text.body, format).await {
            // Readers have priority; the next run tries again.
            Err(fault) if fault.code() == Code::Unavailable => break,
            shown => shown?,
        };
        let html = &shown.rendered.html;
        stored += if format == COMMENT {
            store::set_comment_html(&db, &text, html, RENDERER).await?
        } else {
            store::set_request_html(&db, &text, html, RENDERER).await?
        };
    }
    Ok(stored)
}
