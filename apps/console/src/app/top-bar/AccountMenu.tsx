import { PERMISSION } from '@sallyport/contract/access.ts'
import { UserIcon } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { lazily } from '../../design/lazily.tsx'
import { type Preferences, prefer, usePreferences } from '../../design/look/preferences.ts'
import { type MenuGroup, type MenuItem, useMenu } from '../../design/popups/menu.tsx'
import { type Language, language, switchLanguage, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import { keepOrg, readCurrentOrg } from '../../session/org.ts'
import { otherRole, storeRole } from '../../session/roles.ts'
import { onAdminPages, session } from '../../session/session.ts'
import { useHelp } from './use-help.tsx'

const ApiKeys = lazily(() => import('./ApiKeysPanel.tsx').then((m) => m.ApiKeysPanel))

const LANGUAGES: readonly { key: Language; label: string }[] = [
  { key: 'en', label: 'English' },
  { key: 'cn', label: '中文(简体)' },
]

/**
 * The page stays, in the other language; what is not saved is asked about first, because the page
 * is loaded again.
 */
async function changeLanguage(next: Language): Promise<void> {
  if (next !== language() && (await mayLeave())) switchLanguage(next)
}

/** Everything that is about the person and not about the page: profile, looks, language, help. */
export function AccountMenu({ name }: { name: string }) {
  const navigate = useNavigate()
  const { tabs, theme, density } = usePreferences()
  const [keysOpen, setKeysOpen] = useState(false)
  const help = useHelp()
  const { orgs, profile } = session()
  const admin = onAdminPages()
  const both = (profile.current_org_roles?.length ?? 0) > 1 || orgs.length > 0
  const profilePage = addressOf('UserProfile')
  const own: MenuItem[] = [
    ...(profilePage ? [{ key: 'profile', label: t('Profile') }] : []),
    ...(profilePage && profile.source === 'local' ? [{ key: 'PasswordUpdate', label: t('Change password') }] : []),
    ...(profilePage && profile.can_public_key_auth === true ? [{ key: 'SSHUpdate', label: t('SSH key') }] : []),
    ...(both ? [admin ? { key: 'area', label: t('User page') } : { key: 'area', label: t('Admin page') }] : []),
    { key: 'keys', label: t('API keys') },
    { key: 'mfa', label: t('Second factor') },
  ]
  const items: MenuGroup[] = [
    { items: own },
    {
      title: t('Theme'),
      items: [
        { key: 'theme-system', label: t('Same as the system') },
        { key: 'theme-light', label: t('Light') },
        { key: 'theme-dark', label: t('Dark') },
      ],
    },
    {
      items: [
        { key: 'density', label: density === 'compact' ? t('Comfortable spacing') : t('Compact spacing') },
        { key: 'tabs', label: tabs ? t('Turn page tabs off') : t('Turn page tabs on') },
      ],
    },
    {
      items: [
        // In words that people who do not read this page's language know.
        { key: 'language', label: language() === 'en' ? 'Language · 语言' : '语言 · Language', items: LANGUAGES },
        { key: 'help', label: t('Help'), items: help.items },
      ],
    },
    { items: [{ key: 'logout', label: t('Sign out') }] },
  ]
  const choose = async (key: string) => {
    if (key === 'profile' && profilePage) await navigate(profilePage)
    else if (profilePage && (key === 'PasswordUpdate' || key === 'SSHUpdate'))
      await navigate(`${profilePage}?activeTab=${key}`)
    else if (key === 'keys') setKeysOpen(true)
    else if (key === 'mfa') (await mayLeave()) && location.assign('/core/auth/profile/mfa/')
    else if (key.startsWith('theme-')) prefer({ theme: key.slice(6) as Preferences['theme'] })
    else if (key === 'density') prefer({ density: density === 'compact' ? 'comfortable' : 'compact' })
    else if (key === 'tabs') (await mayLeave()) && prefer({ tabs: !tabs })
    else if (key === 'area' && (await mayLeave())) await switchArea()
    else if (LANGUAGES.some((one) => one.key === key)) await changeLanguage(key as Language)
    else if (help.items.some((item) => item.key === key)) help.choose(key)
    else if (key === 'logout' && (await mayLeave()))
      location.assign(`/core/auth/logout/?next=${encodeURIComponent(location.pathname + location.search)}`)
  }
  const { trigger, popup } = useMenu({
    items,
    chosen: [`theme-${theme}`, language()],
    onChoose: (key) => void choose(key),
  })
  return (
    <>
      <button {...trigger} type="button" className="bar-button" aria-label={name}>
        <UserIcon /> <span>{name}</span>
      </button>
      {popup}
      {help.panel}
      {keysOpen && <ApiKeys onClose={() => setKeysOpen(false)} />}
    </>
  )
}

/**
 * Stores the other role and starts over at the root of its area (A6.33). When the current
 * organization gives no admin page, the first one that the person administers or audits is chosen;
 * nothing happens without a role to change to.
 */
async function switchArea(): Promise<void> {
  const { bits, role, orgs, org, profile } = session()
  let next = otherRole(bits, role)
  if (next === undefined) {
    const other = orgs.find(({ id }) => id !== org?.id)
    if ((role & PERMISSION.use) === 0 || !other) return
    await readCurrentOrg(other.id)
    keepOrg(profile.username, other)
    next = undefined
  }
  storeRole(profile.username, next)
  location.assign('/ui/')
}
