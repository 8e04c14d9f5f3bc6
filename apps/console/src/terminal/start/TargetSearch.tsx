import { SearchIcon } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { showError } from '../../design/dialogs/feedback.tsx'
import { isEnter } from '../../design/inputs/enter.ts'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { Target } from '../assets/target.ts'
import { type FoundTarget, targetSearch } from './start-lists.ts'

const DELAY_MS = 200

interface TargetSearchProps {
  /** Has the keyboard as soon as it is shown, where nothing else has it. */
  isFirst: boolean
  onConnect: (target: Target) => void
}

/**
 * A field that finds a target by name or address: arrows choose among those found, Enter connects, also
 * when it is pressed before the answer has come (WAI-ARIA, combobox pattern).
 */
export function TargetSearch({ isFirst, onConnect }: TargetSearchProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const { found, isAsking, ask } = useFound()
  const [at, setAt] = useState(0)
  /** Enter was pressed for a text whose answer has not come. */
  const isAwaited = useRef(false)
  useEffect(() => {
    if (isFirst && (document.activeElement === null || document.activeElement === document.body)) field.current?.focus()
  }, [isFirst])

  const choose = (one: FoundTarget | undefined) => {
    isAwaited.current = false
    if (one) onConnect(one.target)
  }
  const isKnown = found !== undefined && !isAsking
  useEffect(() => {
    if (!isKnown || !isAwaited.current) return
    isAwaited.current = false
    if (found[0]) onConnect(found[0].target)
  }, [isKnown, found, onConnect])

  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const count = found?.length ?? 0
    if (isEnter(event) && text.trim()) {
      if (isKnown) choose(found[at])
      else isAwaited.current = true
    } else if (event.key === 'ArrowDown' && count) setAt((at + 1) % count)
    else if (event.key === 'ArrowUp' && count) setAt((at - 1 + count) % count)
    else if (event.key === 'Escape' && text) change('')
    else return
    event.preventDefault()
  }
  const change = (wanted: string) => {
    isAwaited.current = false
    setText(wanted)
    setAt(0)
    ask(wanted.trim())
  }
  const isOpen = text.trim() !== '' && found !== undefined
  return (
    <search className="wt-start-search">
      <SearchIcon aria-hidden="true" />
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={t('Find an asset or application to connect to')}
        aria-expanded={isOpen && found.length > 0}
        aria-controls={`${id}-found`}
        aria-activedescendant={isOpen && found[at] ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        placeholder={t('Name or address, then Enter')}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => change(target.value)}
        onKeyDown={handleKey}
      />
      <div className="wt-start-found" id={`${id}-found`} role="listbox" aria-label={t('Matches')} aria-busy={isAsking}>
        {isOpen &&
          found.map((one, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
            <div
              key={`${one.target.family} ${one.target.id}`}
              id={`${id}-${n}`}
              role="option"
              aria-selected={n === at}
              tabIndex={-1}
              // The field keeps the keyboard.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(one)}
            >
              <span>{one.target.name}</span>
              <small>{one.detail}</small>
            </div>
          ))}
      </div>
      {isOpen && found.length === 0 && !isAsking && (
        <p className="wt-start-none" role="status">
          {t('Nothing matches')}
        </p>
      )}
    </search>
  )
}

/** The answer to the last question, asked when the person pauses. */
function useFound() {
  const [search] = useState(targetSearch)
  const [found, setFound] = useState<FoundTarget[]>()
  const [isAsking, setAsking] = useState(false)
  const number = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const ask = (text: string) => {
    const question = ++number.current
    clearTimeout(timer.current)
    setAsking(text !== '')
    if (text === '') return setFound(undefined)
    timer.current = setTimeout(async () => {
      const answer = await search(text).catch((error: unknown) => {
        showError(errorText(error))
        return []
      })
      if (question !== number.current) return
      setFound(answer)
      setAsking(false)
    }, DELAY_MS)
  }
  return { found, isAsking, ask }
}
