import { ArrowDownIcon, ArrowUpIcon, CaseSensitiveIcon, XIcon } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { isEnter } from '../../design/inputs/enter.ts'
import { t } from '../../lib/i18n.ts'
import { type Finder, type Found, MATCHES_MAX } from '../screen/find.ts'

const LENGTH_MAX = 200

interface FindBarProps {
  finder: Finder
  /** How often the keys of the search were pressed: the field has the focus again each time. */
  asked: number
  onClose: () => void
}

/** The search in what a terminal shows and has scrolled away: Enter and Shift+Enter go on, Escape ends it. */
export function FindBar({ finder, asked, onClose }: FindBarProps) {
  const [text, setText] = useState('')
  const [isCaseSensitive, setCaseSensitive] = useState(false)
  const [found, setFound] = useState<Found>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => finder.onFound(setFound), [finder])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more for each press of the keys
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [asked])
  useEffect(() => finder.end, [finder])

  const look = (wanted: string, isExact: boolean) => {
    setText(wanted)
    setCaseSensitive(isExact)
    if (wanted === '') setFound(undefined)
    finder.next({ text: wanted, isCaseSensitive: isExact }, true)
  }
  const next = () => finder.next({ text, isCaseSensitive })
  const previous = () => finder.previous({ text, isCaseSensitive })
  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onClose()
    else if (isEnter(event) && event.target === field.current) event.shiftKey ? previous() : next()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search className="wt-find-bar" aria-label={t('Find in the terminal')} onKeyDown={handleKey}>
      <input
        ref={field}
        type="text"
        className="wt-find-bar-text"
        aria-label={t('Find in the terminal')}
        placeholder={t('Find')}
        autoComplete="off"
        spellCheck={false}
        maxLength={LENGTH_MAX}
        value={text}
        onChange={({ target }) => look(target.value, isCaseSensitive)}
      />
      <output className="wt-find-bar-count">{text !== '' && found && wordsOf(found)}</output>
      <Button
        type="text"
        size="small"
        icon={<CaseSensitiveIcon />}
        aria-label={t('Match case')}
        title={t('Match case')}
        aria-pressed={isCaseSensitive}
        onClick={() => look(text, !isCaseSensitive)}
      />
      <Button
        type="text"
        size="small"
        icon={<ArrowUpIcon />}
        aria-label={t('Previous match')}
        title={`${t('Previous match')} (Shift+Enter)`}
        onClick={previous}
      />
      <Button
        type="text"
        size="small"
        icon={<ArrowDownIcon />}
        aria-label={t('Next match')}
        title={`${t('Next match')} (Enter)`}
        onClick={next}
      />
      <Button
        type="text"
        size="small"
        icon={<XIcon />}
        aria-label={t('Close the search')}
        title={`${t('Close the search')} (Esc)`}
        onClick={onClose}
      />
    </search>
  )
}

function wordsOf({ at, count }: Found): string {
  if (count === 0) return t('No matches')
  const shown = count >= MATCHES_MAX ? `${MATCHES_MAX}+` : count
  return at === 0 ? t('{{count}} matches', { count: shown }) : t('{{at}} of {{count}}', { at, count: shown })
}
