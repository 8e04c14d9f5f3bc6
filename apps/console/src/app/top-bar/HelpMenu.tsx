import { CircleQuestionMarkIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { lazily } from '../../design/lazily.tsx'
import { type MenuItem, useMenu } from '../../design/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { licenceValid, session } from '../../session/session.ts'

const Shortcuts = lazily(() => import('./ShortcutsPanel.tsx').then((m) => m.ShortcutsPanel))

/** Links of the installation to help, and what the keyboard can do, by Ctrl-/ or ⌘-/ too. */
export function HelpMenu() {
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
  const links = [
    { key: 'docs', label: t('Docs'), href: settings.HELP_DOCUMENT_URL },
    { key: 'support', label: t('Support'), href: settings.HELP_SUPPORT_URL },
    // Spec A6.36; where to is the installation's own decision.
    { key: 'enterprise', label: t('Enterprise edition'), href: licenceValid() ? '' : settings.HELP_ENTERPRISE_URL },
    { key: 'api', label: t('API reference'), href: '/api/docs/' },
  ].flatMap(({ href, ...item }): MenuItem[] => (href ? [{ ...item, href }] : []))
  const { trigger, popup } = useMenu({
    items: [...links, { key: 'keys', label: t('Keyboard shortcuts') }],
    onChoose: (key) => key === 'keys' && setKeysOpen(true),
  })
  return (
    <>
      <button
        {...trigger}
        type="button"
        className="bar-button"
        aria-label={t('Help')}
        aria-keyshortcuts="Control+/ Meta+/"
      >
        <CircleQuestionMarkIcon /> <span>{t('Help')}</span>
      </button>
      {popup}
      {keysOpen && <Shortcuts onClose={() => setKeysOpen(false)} />}
    </>
  )
}
