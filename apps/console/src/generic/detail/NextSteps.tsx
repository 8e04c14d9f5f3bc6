import { useQueries } from '@tanstack/react-query'
import { CheckIcon, XIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { api, type ListPage, type Query, type Row, withQuery } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import type { NextStep } from '../view/detail-view.ts'
import styles from './NextSteps.module.css'

/** In the address of a page: its row has just been made. */
const NEW = 'new'

/** The address of the page of a row that has just been made. */
export const asNew = (address: string): string => withQuery(address, { [NEW]: 1 })

interface NextStepsProps<R extends Row> {
  path: string
  row: R
  steps: readonly NextStep<R>[]
}

/**
 * The usual next steps for a row that has just been made: each with the way to it, and a tick
 * once it is done. It stays with the address until it is sent away.
 */
export function NextSteps<R extends Row>({ path, row, steps }: NextStepsProps<R>) {
  const [query, setQuery] = useSearchParams()
  const offered = query.has(NEW) ? steps.filter(({ has }) => has?.(row) !== false) : []
  const doneSteps = useDone(offered, row)
  if (offered.length === 0) return null
  const close = () =>
    setQuery(
      (now) => {
        const next = new URLSearchParams(now)
        next.delete(NEW)
        return next
      },
      { replace: true },
    )
  return (
    <section className={`panel ${styles.steps}`} aria-labelledby="next-steps">
      <header>
        <h2 id="next-steps">{t('Next steps')}</h2>
        <button type="button" className="icon-button" aria-label={t('Close')} title={t('Close')} onClick={close}>
          <XIcon />
        </button>
      </header>
      <ol>
        {offered.map((step, at) => (
          <li key={step.title} data-done={doneSteps[at]} data-form={step.form !== undefined}>
            <span className={styles.mark} aria-hidden="true">
              {doneSteps[at] ? <CheckIcon /> : at + 1}
            </span>
            <div>
              <strong>{t(step.title)}</strong>
              {doneSteps[at] && <span className="visually-hidden"> {t('Done')}</span>}
              <p>{t(step.lead)}</p>
              {step.form && !doneSteps[at] && <step.form row={row} />}
            </div>
            {!step.form && <Way step={step} row={row} refresh={() => forget(path)} />}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Which steps are done: some are when a list has rows. */
function useDone<R extends Row>(steps: readonly NextStep<R>[], row: R): readonly boolean[] {
  const states = steps.map(({ done }) => done?.(row) ?? false)
  const lists = states.filter((state) => typeof state !== 'boolean')
  const answers = useQueries({
    queries: lists.map(({ path, query }) => {
      const first: Query = { ...query, limit: 1, offset: 0 }
      return {
        queryKey: keys.list(path, first),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          api.get<ListPage<Row>>(path, { query: first, signal, quiet: true }),
      }
    }),
  })
  return states.map((state) =>
    typeof state === 'boolean' ? state : (answers[lists.indexOf(state)]?.data?.count ?? 0) > 0,
  )
}

interface WayProps<R extends Row> {
  step: NextStep<R>
  row: R
  refresh: () => Promise<void>
}

/** The way to a step: a tab of the page, another page that leads back here, a window, or a dialog. */
function Way<R extends Row>({ step, row, refresh }: WayProps<R>): ReactNode {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [query] = useSearchParams()
  const words = step.button && t(step.button)
  const { run, tab, window: leadsTo } = step
  if (run)
    return <Button onClick={() => void run(row, { refresh, go: (address) => void navigate(address) })}>{words}</Button>
  if (leadsTo)
    return (
      <a className="button" href={leadsTo(row)} target="_blank" rel="noreferrer">
        {words}
      </a>
    )
  if (tab) {
    const next = new URLSearchParams(query)
    next.set('activeTab', tab)
    return (
      <Link className="button" to={{ search: next.toString() }} replace>
        {words}
      </Link>
    )
  }
  const address = step.address?.(row)
  // For people without that page the step says what is missing.
  if (!address) return null
  return (
    <Link className="button" to={withQuery(address, { return: asNew(pathname) })}>
      {words}
    </Link>
  )
}
