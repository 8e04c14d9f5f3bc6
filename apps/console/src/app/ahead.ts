/**
 * What runs before the first paint, while the console's code is on its way: the document looks as
 * the last person in this browser had it, and the server is asked what start-up needs to know.
 */
import { WIRE } from '@sallyport/contract/constants.ts'
import { readAppearance } from '../design/look/last-appearance.ts'
import { readCookie } from '../lib/cookies.ts'
import { callEarly } from '../lib/early.ts'
import { language } from '../lib/i18n.ts'
import { LATE_MS } from '../lib/late.ts'

const TIMEOUT_MS = 60_000
/** The catalog of texts is part of what did not come. */
const NOT_LOADED = {
  en: ['The console could not be loaded.', 'Reload'],
  cn: ['控制台未能加载。', '重新加载'],
} as const
const LATE = {
  en: ['The server has not answered yet.', 'Try again'],
  cn: ['服务器尚未响应。', '重试'],
} as const

const { dataset } = document.documentElement
const { theme, density } = readAppearance()
const isDark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
dataset.theme = isDark ? 'dark' : 'light'
dataset.density = density
if (readCookie('sidebarStatus') === '0') dataset.sidebar = 'closed'

// Without the token nobody is signed in, and start-up leads to the sign-in page.
if (readCookie(WIRE.csrfCookie)) {
  const oid = new URLSearchParams(location.search).get('oid') ?? undefined
  // Settings are the same everywhere, and are asked for before the organization is known.
  callEarly('/api/v1/settings/public/', oid, TIMEOUT_MS)
  for (const path of ['/api/v1/users/profile/', '/api/v1/orgs/orgs/current/'])
    callEarly(path, oid ?? readCookie(WIRE.orgCookie), TIMEOUT_MS)
}

// Code that does not come can't say so itself.
addEventListener(
  'error',
  ({ target }) => {
    const root = document.getElementById('root')
    if (!root || !(target instanceof HTMLScriptElement)) return
    root.replaceChildren(noticeOf(NOT_LOADED[language()], 'full-notice'))
  },
  true,
)

// The frame is still what the document shows first: neither code nor the person has come.
setTimeout(() => {
  const frame = document.querySelector('.starting')
  frame?.after(noticeOf(LATE[language()], 'full-notice late'))
}, LATE_MS)

function noticeOf([words, again]: readonly [string, string], className: string): HTMLElement {
  const notice = Object.assign(document.createElement('div'), { className, role: 'alert' })
  const link = Object.assign(document.createElement('a'), { href: location.href, textContent: again })
  const way = document.createElement('p')
  way.append(link)
  notice.append(Object.assign(document.createElement('p'), { textContent: words }), way)
  return notice
}
