import { SearchIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { lazily } from '../../design/lazily.tsx'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import styles from './palette.module.css'

const Panel = lazily(() => import('./CommandPalettePanel.tsx').then((m) => m.CommandPalettePanel))

/** Opens the palette by Ctrl-K or ⌘-K, or by its button. */
export function CommandPalette({ menu }: { menu: readonly MenuEntry[] }) {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // The code comes while the finger is still on its way to the K.
      if (event.key === 'Control' || event.key === 'Meta') void Panel.preload().catch(() => {})
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setOpen((before) => !before)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  const keys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'
  return (
    <>
      <button
        type="button"
        className={`bar-button ${styles.find}`}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <SearchIcon aria-hidden="true" />
        <span className="visually-hidden">{t('Find pages and objects')}</span> <kbd>{keys}</kbd>
      </button>
      {open && <Panel menu={menu} onClose={() => setOpen(false)} />}
    </>
  )
}
