import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { isEnter } from '../../design/inputs/enter.ts'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import type { Hit } from './hit.ts'
import styles from './palette.module.css'
import { findObjects, findPages } from './palette.ts'
import { findActions } from './palette-actions.ts'

const DEBOUNCE_MS = 200

/**
 * Finds pages of the menu at once, and objects as soon as the server answers; arrows choose, Enter
 * opens, Escape closes.
 */
export function CommandPalettePanel({ menu, onClose }: { menu: readonly MenuEntry[]; onClose: () => void }) {
  const navigate = useNavigate()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    field.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  const words = typed.trim()
  const { objects, searching } = useFoundObjects(words)
  const hits = [...findPages(menu, words), ...findActions(menu, words), ...objects]
  const at = Math.min(chosen, hits.length - 1)
  useEffect(() => {
    if (at >= 0) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const open = (hit: Hit | undefined) => {
    if (!hit) return
    if (hit.fills !== undefined) {
      setTyped(`${hit.fills} `)
      setChosen(0)
      field.current?.focus()
      return
    }
    onClose()
    if (hit.run) void hit.run()
    else if (hit.external) window.open(hit.address, '_blank', 'noopener')
    else void navigate(hit.address)
  }
  const press = (event: KeyboardEvent) => {
    // Enter and arrows choose among Chinese candidates while those are shown.
    if (event.nativeEvent.isComposing) return
    if (isEnter(event)) open(hits[at])
    else if (event.key === 'Escape') onClose()
    else if (event.key === 'ArrowDown') setChosen((at + 1) % Math.max(1, hits.length))
    else if (event.key === 'ArrowUp') setChosen((at - 1 + hits.length) % Math.max(1, hits.length))
    // The field is all there is to tab to.
    else if (event.key !== 'Tab') return
    event.preventDefault()
  }
  return (
    <div className={styles.paletteShade} onPointerDown={(event) => event.target === event.currentTarget && onClose()}>
      {/* Not the library's dialog: it can take the keyboard only a moment later, and what is typed right after Ctrl-K must not be lost. */}
      <div className={styles.palette} role="dialog" aria-modal="true" aria-label={t('Find pages and objects')}>
        <input
          ref={field}
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          aria-label={t('Find pages and objects')}
          {...(at >= 0 ? { 'aria-activedescendant': `${id}${at}` } : {})}
          placeholder={t('Find pages and objects')}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setChosen(0)
          }}
          onKeyDown={press}
        />
        <div className={styles.hits} id={`${id}list`} role="listbox" aria-label={t('Found')} ref={list}>
          {hits.map((hit, index) => (
            <HitOption
              key={`${hit.kind} ${hit.address}`}
              id={`${id}${index}`}
              hit={hit}
              isChosen={index === at}
              onOpen={() => open(hit)}
              onChoose={() => setChosen(index)}
            />
          ))}
        </div>
        <p className={styles.answer} role="status">
          {searching ? t('Searching…') : hits.length === 0 ? t('Nothing found') : ''}
        </p>
      </div>
    </div>
  )
}

/** The objects that the server finds for `words`, once it has answered for these. */
function useFoundObjects(words: string): { objects: readonly Hit[]; searching: boolean } {
  const [found, setFound] = useState<{ words: string; hits: readonly Hit[] }>({ words: '', hits: [] })
  useEffect(() => {
    if (words === '') return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      findObjects(words, stop.signal).then(
        (hits) => stop.signal.aborted || setFound({ words, hits }),
        () => {},
      )
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [words])
  const searching = words !== '' && found.words !== words
  return { objects: words !== '' && !searching ? found.hits : [], searching }
}

interface HitOptionProps {
  id: string
  hit: Hit
  isChosen: boolean
  onOpen: () => void
  onChoose: () => void
}

function HitOption({ id, hit, isChosen, onOpen, onChoose }: HitOptionProps) {
  return (
    // The keyboard stays in the field, which says what is chosen: an option has no handler of its
    // own.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div id={id} role="option" aria-selected={isChosen} onClick={onOpen} onPointerMove={() => isChosen || onChoose()}>
      <span>{hit.title}</span>
      <small>{hit.kind}</small>
    </div>
  )
}
