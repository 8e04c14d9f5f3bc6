/** The content of a mail: paragraphs, at most one button, closing lines. All of it plain text. */
export interface MailContent {
  to: string
  subject: string
  paragraphs: readonly string[]
  link?: { text: string; url: string }
  /** After the button. */
  closing?: readonly string[]
  signature: string
  attachments?: readonly MailAttachment[]
}

export interface MailAttachment {
  filename: string
  /** In base64. */
  content: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

/**
 * The same words as plain text and as HTML, in the colors of the console
 * (`apps/console/src/design/look/tokens.css`); names and addresses in them can't become markup.
 */
export function layOut({ to, subject, paragraphs, link, closing = [], signature, attachments }: MailContent) {
  const text = [...paragraphs, ...(link ? [`${link.text}\n${link.url}`] : []), ...closing, `-- \n${signature}`].join(
    '\n\n',
  )
  const block = (words: string) => `<p>${escapeHtml(words).replaceAll('\n', '<br>')}</p>`
  const button = link
    ? `<p><a href="${escapeHtml(link.url)}" style="background:#0f7b6c;color:#ffffff;padding:8px 16px;border-radius:6px;text-decoration:none">${escapeHtml(link.text)}</a></p><p style="font-size:12px;color:#56636f;word-break:break-all">${escapeHtml(link.url)}</p>`
    : ''
  const html = `<!doctype html><html><body style="font-family:system-ui,sans-serif;font-size:14px;line-height:1.6;color:#16202a"><div style="max-width:560px">${paragraphs.map(block).join('')}${button}${closing.map(block).join('')}<p style="color:#56636f">${escapeHtml(signature)}</p></div></body></html>`
  // A line break in a subject would begin another header (RFC 5322 §2.2).
  const words = { to, subject: subject.replace(/\s+/g, ' ').trim(), text, html }
  return attachments ? { ...words, attachments } : words
}
