import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { t } from '../../lib/i18n.ts'
import { isFull, type ResultView, shownOf, WINDOW_ROWS } from './result-view.ts'

export interface WindowBarProps {
  result: ResultView
  /** Rows that a filter has found among the loaded ones. */
  found: number | undefined
  isLoadingOn: boolean
  setLoadingOn: (isOn: boolean) => void
  /** Rows behind are wanted in place of those that are loaded; unless given, there is no way to them. */
  onMoveOn: (() => void) | undefined
  /** Rows that came before, from one on, in place of those that are loaded; unless given, they can not be had. */
  onMoveTo: ((from: number) => void) | undefined
}

/** Which rows of a result are loaded, and the ways to the others. */
export function WindowBar({ result, found, isLoadingOn, setLoadingOn, onMoveOn, onMoveTo }: WindowBarProps) {
  const { rows, before = 0, first = 0, isHeld, done } = result
  const shown = shownOf(result)
  const end = before + rows.length
  const isBehind = onMoveTo !== undefined && end < shown
  const isAtLimit = (isHeld || isBehind) && isFull(result)
  return (
    <>
      <span className="tool-pane-count">{countOf(result, found)}</span>
      {!done && onMoveOn && !isAtLimit && (
        <Button size="small" aria-pressed={isLoadingOn} onClick={() => setLoadingOn(!isLoadingOn)}>
          {isLoadingOn ? t('Stop loading') : t('Keep loading')}
        </Button>
      )}
      {onMoveTo && before > first && (
        <Button size="small" onClick={() => onMoveTo(Math.max(first, before - WINDOW_ROWS))}>
          {t('Previous rows')}
        </Button>
      )}
      {isAtLimit && onMoveOn && (
        <Button
          size="small"
          title={
            onMoveTo
              ? t('They replace the rows that are loaded.')
              : t('They replace the rows that are loaded. To see those again, run the statement again.')
          }
          onClick={() => (isBehind ? onMoveTo(end) : onMoveOn())}
        >
          {t('Next rows')}
        </Button>
      )}
      {onMoveTo && shown > rows.length && <RowField {...{ first, shown, onMoveTo }} />}
    </>
  )
}

/** Goes to the row of a number. */
function RowField({ first, shown, onMoveTo }: { first: number; shown: number; onMoveTo: (from: number) => void }) {
  const [text, setText] = useState('')
  const go = () => {
    const row = Number(text)
    if (text && row >= 1) onMoveTo(Math.min(Math.max(row - 1, first), shown - 1))
    setText('')
  }
  return (
    <Input
      isSmall
      className="data-grid-row-field"
      inputMode="numeric"
      placeholder={t('To row')}
      aria-label={t('To row')}
      title={t('Earlier rows {{first}} to {{last}} are available', { first: first + 1, last: shown })}
      value={text}
      onChange={(typed) => setText(typed.replaceAll(/\D/g, '').slice(0, 12))}
      onEnter={go}
    />
  )
}

/** How many rows there are, as far as that is known. */
function countOf(result: ResultView, found: number | undefined): string {
  const { rows, isHeld, done, before = 0 } = result
  const count = rows.length
  if (found !== undefined) return t('{{found}} of {{count}} loaded rows', { found, count })
  if (before > 0 || before + count < shownOf(result)) {
    const window = { first: before + 1, last: before + count }
    if (!count && !done) return t('Rows from {{first}} on', window)
    return done
      ? t('Rows {{first}} to {{last}} of {{all}}', { ...window, all: done.rows })
      : t('Rows {{first}} to {{last}}, and there are more', window)
  }
  if (done && !done.isCut) return t('{{count|row|rows}}', { count: done.rows })
  if (done) return t('{{count}} of {{all}} rows were loaded', { count, all: done.rows })
  if (isHeld && isFull(result)) return t('The first {{count}} rows are loaded, and there are more', { count })
  return t('{{count|row|rows}} so far', { count })
}
