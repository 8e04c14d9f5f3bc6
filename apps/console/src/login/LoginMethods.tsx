import { msg, t } from '../lib/i18n.ts'
import type { LoginMethod } from '../session/session.ts'

/** The server checks where it leads. */
const withNext = (path: string) => {
  const next = new URLSearchParams(location.search).get('next')
  return next ? `${path}?next=${encodeURIComponent(next)}` : path
}

/** Letter and color of a way's icon. */
const ICONS: Readonly<Record<string, readonly [letter: string, color: string]>> = {
  OPENID: ['O', '#d9730d'],
  CAS: ['C', '#2b6cb0'],
  SAML2: ['S', '#2f7d4f'],
  WECOM: ['W', '#2468b8'],
  DINGTALK: ['D', '#0b66e4'],
  FEISHU: ['F', '#00806f'],
}

/** Names of those that have a Chinese one. */
const NAMES: Readonly<Record<string, string>> = {
  WECOM: msg('WeCom'),
  DINGTALK: msg('DingTalk'),
  FEISHU: msg('FeiShu'),
}

function nameOf({ backend, name }: LoginMethod): string {
  const own = NAMES[backend]
  return own ? t(own) : name
}

function Icon({ backend, name }: LoginMethod) {
  const [letter, color] = ICONS[backend] ?? [name.slice(0, 1), '#52616b']
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" fill={color} />
      <text x="10" y="14" textAnchor="middle" fontSize="11" fontWeight="600" fill="#fff">
        {letter}
      </text>
    </svg>
  )
}

/** Links to the other ways to sign in. */
export function LoginMethods({ methods = [] }: { methods?: LoginMethod[] | undefined }) {
  if (!methods.length) return null
  return (
    <p className="beside methods">
      <span>{t('More ways to sign in')}</span>
      {methods.map((method) => (
        <a key={method.url} href={withNext(method.url)}>
          <Icon {...method} />
          {nameOf(method)}
        </a>
      ))}
    </p>
  )
}
