import { sizeText } from '@sallyport/contract/size-text.ts'
import type { AnswerBy } from '@sallyport/contract/socket/browsers.ts'
import { KEY_ANSWERS, KEY_TYPES } from '@sallyport/contract/socket/keys.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { formatDuration } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { ResultGrid } from '../grid/ResultGrid.tsx'
import type { Row } from '../grid/result-view.ts'
import { readValue, textOf } from '../grid/rows-shown.ts'
import type { Ask } from '../pane/questions.ts'
import { whyNotAsked } from '../pane/why-not.ts'
import { type KeyName, shownKey } from './key-tree.ts'
import { KINDS } from './kinds.ts'

type Known = AnswerBy<typeof KEY_ANSWERS.key>
type KeyType = (typeof KEY_TYPES)[number]

const canBeShown = (type: string): type is KeyType => KEY_TYPES.some((one) => one === type)

interface Elements {
  rows: readonly Row[]
  /** From where there are more; empty behind the last. */
  next: string
  isCut: boolean
  isLoading: boolean
}

/** Facts about a key, and its content, page by page. */
export function KeyView({ name, ask }: { name: KeyName; ask: Ask }) {
  const [known, setKnown] = useState<Known>()
  const [elements, setElements] = useState<Elements>({ rows: [], next: '', isCut: false, isLoading: true })
  const [problem, setProblem] = useState<string>()
  const isGone = useRef(false)
  const latest = useRef(elements)
  latest.current = elements

  const read = useCallback(
    async (type: KeyType, from: string) => {
      setElements((now) => ({ ...now, isLoading: true }))
      const { rows, next, isCut } = await ask({ about: 'elements', key: name, type, from }, KEY_ANSWERS.elements)
      if (isGone.current) return
      setElements((now) => ({ rows: [...now.rows, ...rows], next, isCut: now.isCut || isCut, isLoading: false }))
    },
    [ask, name],
  )
  const failed = (error: unknown) => {
    if (isGone.current) return
    setElements((now) => ({ ...now, isLoading: false }))
    setProblem((error as Error).message)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each key; another one is another view
  useEffect(() => {
    isGone.current = false
    const readAll = async () => {
      const found = await ask({ about: 'key', key: name }, KEY_ANSWERS.key)
      if (isGone.current) return
      setKnown(found)
      if (canBeShown(found.type)) await read(found.type, '')
      else setElements((now) => ({ ...now, isLoading: false }))
    }
    readAll().catch(failed)
    return () => {
      isGone.current = true
    }
  }, [])
  const more = () => {
    const { next, isLoading } = latest.current
    if (known && canBeShown(known.type) && next && !isLoading) read(known.type, next).catch(failed)
  }
  const latestMore = useRef(more)
  latestMore.current = more
  const onMore = useCallback(() => latestMore.current(), [])
  const isEmpty = elements.rows.length === 0

  return (
    <div className="rk-key" tabIndex={-1}>
      <h2 title={shownKey(name)}>{shownKey(name)}</h2>
      {known && <Facts known={known} />}
      {problem && (
        <p className="tool-pane-error" role="alert">
          {problem}
        </p>
      )}
      {elements.isCut && <p>{t('There is more than is shown here.')}</p>}
      {isEmpty && elements.isLoading && <Skeleton />}
      {/* Nothing that was refused looks like an empty key. */}
      {known && !(isEmpty && (elements.isLoading || problem)) && <Content {...{ known, elements, onMore }} />}
    </div>
  )
}

function Facts({ known: { type, expiresIn, bytes, length } }: { known: Known }) {
  if (type === 'none') return <p>{t('This key no longer exists.')}</p>
  return (
    <dl className="rk-facts">
      <dt>{t('Type')}</dt>
      <dd>{type}</dd>
      <dt>{expiresIn === undefined ? t('Expires') : t('Expires in')}</dt>
      <dd>{expiresIn === undefined ? t('Never') : formatDuration(Math.ceil(expiresIn / 1000))}</dd>
      {length !== undefined && (
        <>
          <dt>{t('Length')}</dt>
          <dd>{length}</dd>
        </>
      )}
      {bytes !== undefined && (
        <>
          <dt>{t('Memory')}</dt>
          <dd>{sizeText(bytes)}</dd>
        </>
      )}
    </dl>
  )
}

function Content({ known, elements, onMore }: { known: Known; elements: Elements; onMore: () => void }) {
  const { rows, next, isLoading } = elements
  if (!Object.hasOwn(KINDS, known.type))
    return known.type === 'none' ? null : <p>{t('Keys of this type cannot be shown.')}</p>
  if (known.type === 'string') {
    const text = rows.map(([value]) => textOf(value ?? null) ?? '').join('')
    const { kind, shown } = readValue(text)
    return (
      <>
        <div className="data-grid-bar">
          {next && (
            <Button size="small" whyDisabled={whyNotAsked(true, isLoading)} onClick={onMore}>
              {t('More')}
            </Button>
          )}
          <Button
            size="small"
            whyDisabled={text ? undefined : t('The value is empty')}
            onClick={() => void copyText(text)}
          >
            {t('Copy')}
          </Button>
        </div>
        <pre className={`data-grid-value data-grid-value-${kind} rk-text`}>{shown}</pre>
      </>
    )
  }
  const columns = KINDS[known.type]?.() ?? []
  const isHeld = next !== '' && !isLoading
  const done = next === '' && !isLoading ? { rows: rows.length, isCut: false } : undefined
  return <ResultGrid result={{ result: 1, columns, rows, isHeld, ...(done ? { done } : {}) }} onMore={onMore} />
}
