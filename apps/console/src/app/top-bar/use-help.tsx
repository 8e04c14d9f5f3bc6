import { useEffect, useState } from 'react'
import { showDialog } from '../../design/dialogs/feedback.tsx'
import { lazily } from '../../design/lazily.tsx'
import type { MenuItem } from '../../design/popups/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { licenseValid, session } from '../../session/session.ts'

const Shortcuts = lazily(() => import('./ShortcutsPanel.tsx').then((m) => m.ShortcutsPanel))

/** Links of the installation to help, and what the keyboard can do, by Ctrl-/ or ⌘-/ too, for a menu. */
export function useHelp() {
  const { settings } = session()
  const [keysOpen, setKeysOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== '/' || !(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return
      // A question that waits for its answer stays in front.
      if (document.querySelector('[aria-modal=true]')) return
      event.preventDefault()
      setKeysOpen(true)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  // A6.36; where to is the installation's own decision, else what is known here of its license.
  const license = addressOf('Settings')
  const enterprise = settings.HELP_ENTERPRISE_URL || (license && `/ui${license}?activeTab=License`)
  const links = [
    { key: 'docs', label: t('Docs'), href: settings.HELP_DOCUMENT_URL },
    { key: 'support', label: t('Support'), href: settings.HELP_SUPPORT_URL },
    { key: 'enterprise', label: t('Enterprise edition'), href: licenseValid() ? '' : enterprise },
    { key: 'api', label: t('API reference'), href: '/api/docs/' },
  ].flatMap(({ href, ...item }): MenuItem[] => (href ? [{ ...item, href }] : []))
  const items: readonly MenuItem[] = [
    ...links,
    // For who may not see that.
    ...(licenseValid() || enterprise ? [] : [{ key: 'enterprise', label: t('Enterprise edition') }]),
    { key: 'shortcuts', label: t('Keyboard shortcuts') },
  ]
  const choose = (key: string) => {
    if (key === 'shortcuts') setKeysOpen(true)
    if (key === 'enterprise' && !enterprise)
      showDialog({
        title: t('Enterprise edition'),
        content: t('No license is valid here. System administrators enter one in the settings.'),
      })
  }
  return { items, choose, panel: keysOpen && <Shortcuts onClose={() => setKeysOpen(false)} /> }
}
