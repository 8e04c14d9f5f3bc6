import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { moveFocus } from '../../design/focus.ts'
import { isEnter } from '../../design/inputs/enter.ts'
import { errorText } from '../../lib/api.ts'
import { useSettled } from '../../lib/hooks/use-settled.ts'
import { t } from '../../lib/i18n.ts'

/** Something that was found. */
export interface Finding {
  id: string
  /** What it is, for whom it is chosen. */
  kind?: string
  icon?: ReactNode
  name: string
  /** Its folder, or its address. */
  place: string
}

export interface Findings {
  found: readonly Finding[]
  /** How many there are besides. */
  more: number
}

interface FindBoxProps {
  /** `Find in the tree` */
  label: string
  /** Names the search among all that is read from the server. */
  name: string
  find: (words: string, signal: AbortSignal) => Promise<Findings>
  onChoose: (finding: Finding) => void
}

/** A box to type in; what it finds is below it, over what is there, until one is chosen. */
export function FindBox({ label, name, find, onChoose }: FindBoxProps) {
  const [typed, setTyped] = useState('')
  const settled = useSettled(typed)
  // An emptied box finds nothing at once.
  const words = typed.trim() && settled
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: [name, 'search', words],
    queryFn: ({ signal }) => find(words, signal),
    enabled: words !== '',
    placeholderData: (before) => before,
  })
  /** The results belong to other words than those that are typed. */
  const isOld = isPlaceholderData || words !== typed.trim()
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing && typed !== '') {
      event.stopPropagation()
      event.preventDefault()
      setTyped('')
      box.current?.focus()
    } else if (typed !== '') {
      const findings = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])]
      if (event.target !== box.current || event.key === 'ArrowDown') moveFocus(event, findings)
      else if (isEnter(event) && !isOld) findings[0]?.click()
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the box and of what it found
    <div className="find-box" onKeyDown={move}>
      <input
        ref={box}
        type="search"
        value={typed}
        aria-label={label}
        placeholder={label}
        onChange={(event) => setTyped(event.target.value)}
      />
      {words !== '' && error && (
        <div className="findings">
          <p className="find-nothing" role="alert">
            {errorText(error)}
          </p>
        </div>
      )}
      {words !== '' && data && !error && (
        <div ref={list} className={isFetching ? 'findings busy' : 'findings'}>
          {data.found.map((finding) => (
            <button
              key={finding.id}
              type="button"
              className="finding"
              title={finding.place}
              onClick={() => {
                setTyped('')
                onChoose(finding)
              }}
            >
              {finding.icon}
              <span className="finding-name">{finding.name}</span>{' '}
              <span className="finding-place">{finding.place}</span>
            </button>
          ))}
          {data.found.length === 0 && !isOld && <p className="find-nothing">{t('Nothing found')}</p>}
          {data.more > 0 && (
            <p className="find-nothing">{t('{{count}} more: type more of the name', { count: data.more })}</p>
          )}
        </div>
      )}
    </div>
  )
}
