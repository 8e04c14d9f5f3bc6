import { SearchOutlined } from '@ant-design/icons'
import { useEffect, useState } from 'react'
import { lazily } from '../generic/lazily.tsx'
import { t } from '../lib/i18n.ts'
import type { MenuEntry } from './menu.ts'

const Panel = lazily(() => import('./CommandPalettePanel.tsx').then((m) => m.CommandPalettePanel))

/** Opens the palette by Ctrl-K or ⌘-K, or by its button. */
export function CommandPalette({ menu }: { menu: readonly MenuEntry[] }) {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setOpen((before) => !before)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button
        type="button"
        className="bar-button find"
        aria-label={t('Find pages and objects')}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <SearchOutlined /> <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {open && <Panel menu={menu} onClose={() => setOpen(false)} />}
    </>
  )
}
