import { useQuery } from '@tanstack/react-query'
import { FolderIcon, MonitorIcon } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { moveFocus } from '../../design/move-focus.ts'
import { t } from '../../lib/i18n.ts'
import { useSettled } from '../../lib/use-settled.ts'

/** Something that a search in a tree found. */
export interface TreeFinding {
  id: string
  kind: 'node' | 'asset'
  name: string
  /** Where it lies, or its address. */
  place: string
}

export interface TreeFindings {
  found: readonly TreeFinding[]
  /** How many there are besides. */
  more: number
}

interface TreeSearchProps {
  /** Names the search among all that is read from the server. */
  name: string
  find: (words: string, signal: AbortSignal) => Promise<TreeFindings>
  onChoose: (finding: TreeFinding) => void
}

/** A box above a tree; what it finds stands below it, over the tree, until one is chosen. */
export function TreeSearch({ name, find, onChoose }: TreeSearchProps) {
  const [typed, setTyped] = useState('')
  const settled = useSettled(typed)
  // An emptied box finds nothing at once.
  const words = typed.trim() && settled
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const { data, isFetching } = useQuery({
    queryKey: [name, 'search', words],
    queryFn: ({ signal }) => find(words, signal),
    enabled: words !== '',
    placeholderData: (before) => before,
  })
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && typed !== '') {
      event.stopPropagation()
      event.preventDefault()
      setTyped('')
      box.current?.focus()
    } else if (typed !== '') {
      const findings = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])]
      if (event.target !== box.current || event.key === 'ArrowDown') moveFocus(event, findings)
      else if (event.key === 'Enter') findings[0]?.click()
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the box and of what it found
    <div className="tree-search" onKeyDown={move}>
      <input
        ref={box}
        type="search"
        value={typed}
        aria-label={t('Find in the tree')}
        placeholder={t('Find in the tree')}
        onChange={(event) => setTyped(event.target.value)}
      />
      {words !== '' && data && (
        <div ref={list} className={isFetching ? 'tree-findings busy' : 'tree-findings'}>
          {data.found.map((finding) => (
            <button
              key={finding.id}
              type="button"
              className="tree-finding"
              title={finding.place}
              onClick={() => {
                setTyped('')
                onChoose(finding)
              }}
            >
              {finding.kind === 'node' ? <FolderIcon /> : <MonitorIcon />}
              <span className="tree-name">{finding.name}</span> <span className="tree-place">{finding.place}</span>
            </button>
          ))}
          {data.found.length === 0 && <p className="tree-nothing">{t('Nothing found')}</p>}
          {data.more > 0 && (
            <p className="tree-nothing">{t('{{count}} more: type more of the name', { count: data.more })}</p>
          )}
        </div>
      )}
    </div>
  )
}
