import { visibleName } from '@sallyport/contract/names.ts'
import {
  ChevronDownIcon,
  ChevronRightIcon,
  ChevronUpIcon,
  CircleCheckIcon,
  EraserIcon,
  PauseIcon,
  RotateCwIcon,
  TriangleAlertIcon,
  XIcon,
} from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Progress } from '../../../design/Progress.tsx'
import { t } from '../../../lib/i18n.ts'
import { sizeText } from '../folder/entries.ts'
import { shownPath } from '../folder/machine-names.ts'
import { parentOf } from '../folder/paths.ts'
import { isOver, type Queue, type Transfer, type TransferState, totals } from './queue.ts'
import type { TransferEngine } from './transfer-engine.ts'

/** Lines drawn; of thousands of small files nobody reads each. */
const MAX_LINES = 200
const SPEED_MS = 1000

/** All transfers of this window: how far, how fast, and what can be done about them. */
export function TransferPanel({ queue, engine }: { queue: Queue; engine: TransferEngine }) {
  const [open, setOpen] = useState(true)
  const sum = totals(queue)
  const speed = useSpeed(sum.sent)
  if (!queue.list.length) return null
  const has = (...states: TransferState[]) => queue.list.some(({ state }) => states.includes(state))
  const isDone = sum.over === sum.count && sum.failed === 0
  const percent = sum.size ? Math.floor((sum.sent / sum.size) * 100) : isDone ? 100 : 0
  const lines = [...queue.list.filter((one) => !isOver(one)), ...queue.list.filter(isOver).reverse()]
  return (
    <section className="fm-transfers" aria-label={t('Transfers')}>
      <header>
        <Button
          type="text"
          size="small"
          icon={open ? <ChevronDownIcon /> : <ChevronUpIcon />}
          aria-expanded={open}
          aria-label={t('Transfers')}
          onClick={() => setOpen(!open)}
        />
        <strong>{t('Transfers')}</strong>
        <span role="status">
          {t('{{over}} of {{count}}', { over: sum.over, count: sum.count })}
          {sum.failed > 0 && <em> · {t('{{count}} failed', { count: sum.failed })}</em>}
        </span>
        <Progress
          className="fm-sum"
          aria-label={t('Transfers')}
          percent={percent}
          isFigureShown
          isFailed={sum.failed > 0}
        />
        <span className="fm-speed">{speed > 0 && has('running') ? `${sizeText(speed)}/s` : ''}</span>
        {has('waiting', 'running', 'lost') && (
          <Tool text={t('Pause all')} icon={<PauseIcon />} run={() => engine.pause()} />
        )}
        {has('paused') && <Tool text={t('Resume all')} icon={<ChevronRightIcon />} run={() => engine.resume()} />}
        {has('failed') && <Tool text={t('Try all again')} icon={<RotateCwIcon />} run={() => engine.retry()} />}
        {queue.list.some((one) => !isOver(one)) && (
          <Tool text={t('Cancel all')} icon={<XIcon />} run={() => engine.cancel()} />
        )}
        {queue.list.some(isOver) && <Tool text={t('Clear finished')} icon={<EraserIcon />} run={engine.clear} />}
      </header>
      {open && (
        <ul>
          {lines.slice(0, MAX_LINES).map((one) => (
            <Line key={one.id} one={one} engine={engine} />
          ))}
          {lines.length > MAX_LINES && (
            <li className="fm-more">{t('and {{count}} more', { count: lines.length - MAX_LINES })}</li>
          )}
        </ul>
      )}
    </section>
  )
}

/** Drawn again only when its own transfer moves. */
const Line = memo(function Line({ one, engine }: { one: Transfer; engine: TransferEngine }) {
  const { id, name, to, state, sent, size, error, kind } = one
  const percent = size ? Math.floor((sent / size) * 100) : state === 'done' ? 100 : 0
  return (
    <li className={`fm-transfer fm-${state}`} data-state={state}>
      <span className="fm-name" title={`${name} → ${shownPath(parentOf(to))}`}>
        {kind === 'copy' ? '⇄' : '↑'} {visibleName(name)}
      </span>
      <span className="fm-to">{shownPath(parentOf(to))}</span>
      <Progress className="fm-bar" aria-label={visibleName(name)} percent={percent} isFailed={state === 'failed'} />
      <span className="fm-size">
        {sizeText(sent)} / {sizeText(size)}
      </span>
      <span className="fm-state" title={error}>
        {state === 'done' && <CircleCheckIcon />}
        {state === 'failed' && <TriangleAlertIcon />} {stateText(state)}
        {state === 'failed' && error && `: ${error}`}
      </span>
      <span className="fm-tools">
        {(state === 'waiting' || state === 'running') && (
          <Tool text={t('Pause')} icon={<PauseIcon />} run={() => engine.pause(id)} />
        )}
        {(state === 'paused' || state === 'lost') && (
          <Tool text={t('Resume')} icon={<ChevronRightIcon />} run={() => engine.resume(id)} />
        )}
        {(state === 'failed' || state === 'cancelled') && (
          <Tool text={t('Try again')} icon={<RotateCwIcon />} run={() => engine.retry(id)} />
        )}
        {!isOver(one) && <Tool text={t('Cancel')} icon={<XIcon />} run={() => engine.cancel(id)} />}
      </span>
    </li>
  )
})

function stateText(state: TransferState): string {
  switch (state) {
    case 'waiting':
      return t('Waiting')
    case 'running':
      return ''
    case 'asking':
      return t('Your answer is needed')
    case 'paused':
      return t('Paused')
    case 'lost':
      return t('Connection lost, trying again…')
    case 'failed':
      return t('Failed')
    case 'done':
      return t('Done')
    case 'skipped':
      return t('Skipped')
    case 'cancelled':
      return t('Cancelled')
  }
}

function Tool({ text, icon, run }: { text: string; icon: React.ReactNode; run: () => void }) {
  return <Button type="text" size="small" icon={icon} title={text} aria-label={text} onClick={run} />
}

/** Bytes a second, over the last moments. */
function useSpeed(sent: number): number {
  const latest = useRef(sent)
  latest.current = sent
  const [speed, setSpeed] = useState(0)
  useEffect(() => {
    let before = latest.current
    const timer = setInterval(() => {
      const now = latest.current
      setSpeed((last) => Math.round(last * 0.5 + Math.max(0, now - before) * (1000 / SPEED_MS) * 0.5))
      before = now
    }, SPEED_MS)
    return () => clearInterval(timer)
  }, [])
  return speed < 1024 ? 0 : speed
}
