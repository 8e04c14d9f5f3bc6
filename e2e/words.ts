/**
 * Finds English on a Chinese page that is neither somebody's data nor a name that is the same in
 * both languages.
 */
import type { Page } from 'playwright-core'

/** Names and short forms that Chinese writes in Latin letters as well, and examples behind 例如. */
const SAME_IN_BOTH =
  /例如(?:文件)? [ -~]+(?:或 [ -~]+)?|\{\{(?:name|host\.\w+)\}\}|ssh-ed25519 AAAA…|ACL SETUSER reader \+@read ~orders:\*|command=|sh -c|SALLYPORT_[A-Z_]+|https:\/\/hooks\.slack\.com\/services\/|\/api\/v1\/tickets\/slack\/interactions\/|\/\.well-known\/openid-configuration|\/IT\/Platform|id:12|ldaps?:\/\/(?:[\w.]+:\d+)?|(?:cn|ou)=[\w=,]+|\(?(?:sAMAccountName=)?%\(user\)s\)?|(?:username)?、(?:name)? 和 (?:email)?|可填 groups|`\w*`|"\w*": "\w*"|-----BEGIN (?:CERTIFICATE|PUBLIC KEY)-----|https:\/\/(?:login|cas|idp)\.example\.com\/(?:cas\/|metadata)?|radius\.example\.com|@partner\.example|(?:username)?、(?:name)?、(?:email)?、(?:phone)? 或 (?:comment)?|[（(](?:issuer|claim)[）)]|[REHP]S\d{3}|docs\/[\w-]+\.md|\/etc\/app\/app\.conf|\^rm\\s\+-\\w\*\[rf\]|\b(Sallyport|memberOf|realm_access\.roles|SHA-256|SQL|NLA|ANY|StartTLS|Realm|Azure|Active Directory|SCIM|Okta|Entra ID|TCP|ssh-keygen|gbk|SSH|ssh|rdp|vnc|AD|RDP|VNC|Telnet|telnet|IP|ID|CPU|MFA|URL|API|JSON|UTF-?8|GBK|GB2312|CSV|XLSX|Excel|Linux|Unix|MacOS|BSD|Windows|AIX|Other|GPLv2|root|sudo|shell|Shell|SFTP|sftp|FTP|Ctrl K|Home|Page Up|Page Down|English|YYYY|MM|DD|HH|mm|ss|GB|MB|KB|OpenSSH|PEM|HTTPS?|UID|DNS|SMTP|SSL|TLS|STARTTLS|LDAP|RADIUS|OpenID|CAS|SAML2|SP|IdP|XML|Keycloak|JWKS|DN|OU|XRDP|OTP|SDK|X-Pack|PNG|JPEG|GIF|WEBP|WebP|ICO|kB|Web|PostgreSQL|VMware|MySQL Workbench|MySQL|MariaDB|SQLServer|Oracle|Redis|Kubernetes|Chrome|vSphere Client|Elasticsearch|OpenSearch|AccessKey ID|AccessKey Secret|https|env|xargs|eval|ForceCommand|authorized_keys|sshd|TACACS|GRANT|Luna|KoKo|Core|Celery|kubectl|PGPASSWORD|psql|printf|null|Syslog|SIEM|Webhook|Slack|Microsoft Teams|Teams|chat:write|users:read(?:\.email)?|xoxb|recipient|http|whsec_|base64|v\d\S*|JWK|iss|aud|CA|GitHub|GitLab|JumpServer|SECRET_KEY|config\.txt|Vault|OpenBao|KV|AppRole)\b/g

const UUID = /^[0-9a-f-]{36}$/

/**
 * The texts that a person or a machine has put in: all strings of the API's answers but those the
 * server words itself.
 */
export function dataIn(answers: readonly { method: string; body: unknown }[]): Set<string> {
  const data = new Set<string>()
  const choices = new Set<string>()
  const collect = (value: unknown, key: string, into: Set<string>): void => {
    if (typeof value === 'string') into.add(value)
    else if (Array.isArray(value)) for (const one of value) collect(one, key, into)
    else if (value && typeof value === 'object')
      for (const [name, one] of Object.entries(value)) if (!isWording(name, value)) collect(one, name, into)
  }
  const collectChoices = (value: unknown): void => {
    if (!value || typeof value !== 'object') return
    for (const [name, one] of Object.entries(value)) {
      if (name === 'choices') collect(one, name, choices)
      else collectChoices(one)
    }
  }
  for (const { method, body } of answers) method === 'OPTIONS' ? collectChoices(body) : collect(body, '', data)
  // A name with something in brackets behind it may be shown in two places.
  for (const text of [...data]) for (const part of /^(.+)\((.+)\)$/.exec(text)?.slice(1) ?? []) data.add(part)
  // A file that was renamed has both its names in one text.
  for (const text of [...data]) if (text.includes('=>')) for (const part of text.split('=>')) data.add(part)
  // A path is shown in pieces, that it may go on in the next line.
  for (const text of [...data]) if (text.startsWith('/')) for (const part of text.split('/')) data.add(part)
  return new Set([...data].filter((text) => !choices.has(text)))
}

/**
 * Whether the server words this value: labels, and the display of a choice. That of a reference
 * holds names.
 */
function isWording(key: string, row: object): boolean {
  if (/(label|help_text)$/.test(key)) return true
  const plain = (row as Record<string, unknown>)[key.replace(/_display$/, '')]
  return key.endsWith('_display') && (typeof plain === 'boolean' || (typeof plain === 'string' && !UUID.test(plain)))
}

/**
 * Texts of the page, and of its tips, labels and placeholders, that still hold an English word when
 * all data is taken out.
 */
export async function wordsShown(page: Page, data: ReadonlySet<string>): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const shown = [document.title]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const owner = node.parentElement
      if (owner && !owner.closest('script, style, pre, code, .xterm, .recharts-wrapper') && owner.checkVisibility())
        shown.push(node.textContent ?? '')
    }
    for (const element of document.querySelectorAll('[placeholder], [title], [aria-label], [alt]'))
      if (!element.matches('.lucide'))
        for (const name of ['placeholder', 'title', 'aria-label', 'alt']) shown.push(element.getAttribute(name) ?? '')
    return shown
  })
  const longestFirst = [...data].filter((text) => /[A-Za-z]{2}/.test(text)).sort((a, b) => b.length - a.length)
  const left = texts.filter((text) => {
    let rest = text
    for (const known of longestFirst) rest = rest.replaceAll(known, '')
    return /[A-Za-z]{2}/.test(rest.replace(SAME_IN_BOTH, ''))
  })
  return [...new Set(left.map((text) => text.trim()))]
}
