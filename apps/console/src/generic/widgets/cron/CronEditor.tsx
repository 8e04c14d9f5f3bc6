import { readTimeZone } from '@sallyport/contract/time-zone.ts'
import { useQuery } from '@tanstack/react-query'
import { Cron } from 'croner'
import { type ReactNode, useState } from 'react'
import { MultiSelect } from '../../../design/boxes/MultiSelect.tsx'
import { Select } from '../../../design/boxes/Select.tsx'
import { Input } from '../../../design/inputs/Input.tsx'
import { RadioGroup } from '../../../design/inputs/RadioGroup.tsx'
import { Tabs } from '../../../design/Tabs.tsx'
import { api, errorText } from '../../../lib/api.ts'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { keys } from '../../../lib/query.ts'
import {
  CRON_PARTS,
  type CronPart,
  type CronRange,
  cronFault,
  cronParts,
  isCron,
  readCronPart,
  writeCronPart,
} from './cron.ts'

const RUNS_SHOWN = 5

export interface CronEditorProps {
  value: string
  onChange: (value: string) => void
}

/**
 * The parts of a time plan, each as one of four sayings or as text, and the times at which it runs
 * next (B9.23).
 */
export function CronEditor({ value, onChange }: CronEditorProps) {
  const parts = cronParts(value)
  const [open, setOpen] = useState(0)
  const range = CRON_PARTS[open] as CronRange
  const setPart = (at: number, text: string) =>
    onChange(parts.map((part, index) => (index === at ? text : part)).join(' '))
  return (
    <div className="cron-editor">
      <Tabs
        tabs={CRON_PARTS.map(({ title }, at) => ({ value: String(at), label: t(title) }))}
        value={String(open)}
        onChange={(at) => setOpen(Number(at))}
      >
        <PartEditor range={range} value={parts[open] ?? '*'} onChange={(text) => setPart(open, text)} />
      </Tabs>
      <div className="cron-parts">
        {CRON_PARTS.map((range, at) => (
          <div key={range.title}>
            <span aria-hidden="true">{t(range.title)}</span>
            <Input
              aria-label={t(range.title)}
              value={parts[at]}
              spellCheck={false}
              onChange={(text) => setPart(at, text.replace(/\s/g, '') || '*')}
            />
          </div>
        ))}
      </div>
      <p className="cron-whole">
        {t('Expression')} <code>{value}</code>
      </p>
      <Runs value={value} />
    </div>
  )
}

const numbers = (min: number, max: number) =>
  Array.from({ length: max - min + 1 }, (_, at) => ({ value: min + at, label: String(min + at) }))

function PartEditor({ range, value, onChange }: { range: CronRange; value: string; onChange: (text: string) => void }) {
  const { min, max } = range
  const part = readCronPart(value, range)
  const write = (next: CronPart) => onChange(writeCronPart(next, range))
  const span = part?.kind === 'range' ? part : { from: min, to: max }
  const step = part?.kind === 'step' ? part : { from: min, step: 1 }
  const chosen = part?.kind === 'chosen' ? part.values : []
  const number = (label: string, at: number, set: (next: number) => void, lowest = min) => (
    <Select
      aria-label={label}
      size="small"
      className="cron-number"
      value={at}
      options={numbers(lowest, max)}
      onChange={set}
    />
  )
  const from = t('From')
  const choices: [CronPart, ReactNode][] = [
    [{ kind: 'every' }, t('Every time')],
    [
      { kind: 'range', ...span },
      <>
        {from} {number(from, span.from, (next) => write({ kind: 'range', from: next, to: Math.max(next, span.to) }))}{' '}
        {t('to')}{' '}
        {number(t('to'), span.to, (next) => write({ kind: 'range', from: Math.min(next, span.from), to: next }))}
      </>,
    ],
    [
      { kind: 'step', ...step },
      <>
        {from} {number(from, step.from, (next) => write({ kind: 'step', from: next, step: step.step }))}{' '}
        {t('in steps of')}{' '}
        {number(t('in steps of'), step.step, (next) => write({ kind: 'step', from: step.from, step: next }), 1)}
      </>,
    ],
    [
      { kind: 'chosen', values: chosen.length > 0 ? chosen : [min] },
      <>
        {t('Chosen')}{' '}
        <MultiSelect
          aria-label={t('Chosen')}
          size="small"
          className="cron-chosen"
          value={chosen}
          options={numbers(min, max)}
          onChange={(values) => write({ kind: 'chosen', values })}
        />
      </>,
    ],
  ]
  return (
    <RadioGroup
      isColumn
      aria-label={t(range.title)}
      options={choices.map(([{ kind }, label]) => ({ value: kind, label }))}
      value={part?.kind}
      onChange={(kind) => {
        const found = choices.find(([choice]) => choice.kind === kind)
        if (found) write(found[0])
      }}
    />
  )
}

const CLOCK_PATH = '/api/v1/common/clock/'

/**
 * Where the plan runs: the time zone, and how far its clock is ahead of this browser's.
 * Milliseconds.
 */
function useServerClock() {
  return useQuery({
    queryKey: keys.one(CLOCK_PATH, ''),
    queryFn: async ({ signal }) => {
      const { now, time_zone } = await api.get<{ now: string; time_zone: string }>(CLOCK_PATH, { signal, quiet: true })
      // An older browser may not know it.
      return { zone: readTimeZone(time_zone) ?? 'UTC', ahead: Date.parse(now) - Date.now() }
    },
    staleTime: 60_000,
  })
}

/** The next runs by the server's clock and in its time zone, or why there are none. */
function Runs({ value }: { value: string }) {
  const clock = useServerClock()
  const fault = cronFault(value)
  if (fault) return <NoRuns why={fault} />
  if (clock.isError) return <NoRuns why={errorText(clock.error)} />
  if (!clock.data) return <p className="loading">{t('Loading')}</p>
  const { zone, ahead } = clock.data
  const runs = nextRuns(value, new Date(Date.now() + ahead), zone)
  if (runs.length === 0) return <NoRuns why={t('This schedule never runs')} />
  const isElsewhere = zone !== readTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone)
  return (
    <>
      <p>{t('Next {{count|run|runs}} ({{zone}})', { count: runs.length, zone })}</p>
      <ol aria-label={t('Next runs')}>
        {runs.map((run) => (
          <li key={run.getTime()}>
            {formatDate(run.toISOString(), 'medium', zone)}
            {isElsewhere && (
              <span className="own-time">{t('your time: {{time}}', { time: formatDate(run.toISOString()) })}</span>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}

const NoRuns = ({ why }: { why: string }) => (
  <p className="bad" role="alert">
    {why}
  </p>
)

/**
 * When an expression runs next in a time zone, at most five times; none for one that is wrong or
 * never comes.
 */
export function nextRuns(value: string, after = new Date(), timezone?: string): Date[] {
  if (!isCron(value)) return []
  return new Cron(value.trim(), { mode: '5-part', paused: true, ...(timezone ? { timezone } : {}) }).nextRuns(
    RUNS_SHOWN,
    after,
  )
}
