import { useQuery } from '@tanstack/react-query'
import { CopyIcon } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useParams } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { cancelTask } from './run-actions.ts'
import styles from './task-log.module.css'
import { useTaskOutput } from './use-task-output.ts'

export const routes = places(
  {
    name: 'CeleryTaskLog',
    menu: 'common',
    title: msg('Task log'),
    path: '/ops/celery/task/:id/log/',
    hidden: true,
    bits: 0,
    bare: true,
  },
  {
    name: 'TaskLog',
    menu: 'common',
    title: msg('Task log'),
    path: '/ops/task/task/:id/log/',
    hidden: true,
    bits: 0,
    bare: true,
  },
)

const STATE_POLL_MS = 1500
/** The view follows new output while it is scrolled to within this many pixels of the end. */
const NEAR_END = 40

const OVER = ['SUCCESS', 'FAILURE']

/** Live output of a background task, in a window of its own (A2.06). */
export function TaskLog({ title }: PageProps) {
  const { id = '' } = useParams()
  const path = `/api/v1/ops/celery/task/${encodeURIComponent(id)}/result/`
  const state = useQuery({
    queryKey: keys.one(path, id),
    queryFn: ({ signal }) => api.get<{ state: string; can_cancel: boolean }>(path, { signal, quiet: true }),
    refetchInterval: ({ state: { data } }) => (data && OVER.includes(data.state) ? false : STATE_POLL_MS),
    retry: false,
  })
  const text = useTaskOutput(id, state.data !== undefined && OVER.includes(state.data.state))
  const box = useRef<HTMLPreElement>(null)
  const following = useRef(true)
  useEffect(() => {
    document.title = title
  }, [title])
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text is what makes the view move
  useLayoutEffect(() => {
    if (following.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [text])
  return (
    <main className={styles.taskLog}>
      <header>
        <h1>{title}</h1>
        <span className="state" role="status">
          {state.isError ? t('Get failed') : stateWords(state.data?.state)}
        </span>
        {state.data?.can_cancel && (
          <Button size="small" onClick={() => cancelTask(id, state.refetch)}>
            {t('Stop')}
          </Button>
        )}
        <Button
          size="small"
          icon={<CopyIcon />}
          disabled={text === ''}
          onClick={() => void navigator.clipboard.writeText(text).then(() => showSuccess(t('Copied')))}
        >
          {t('Copy')}
        </Button>
      </header>
      {state.isLoadingError && <LoadFailed error={state.error} onRetry={() => void state.refetch()} />}
      <pre
        ref={box}
        hidden={state.isLoadingError}
        role="log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard too
        tabIndex={0}
        aria-label={t('Output')}
        onScroll={({ currentTarget }) => {
          following.current =
            currentTarget.scrollTop + currentTarget.clientHeight > currentTarget.scrollHeight - NEAR_END
        }}
      >
        {text}
      </pre>
    </main>
  )
}

function stateWords(state: string | undefined): string {
  switch (state) {
    case 'PENDING':
      return t('Waiting to start')
    case 'SUCCESS':
      return t('Finished')
    case 'FAILURE':
      return t('Failed')
    case undefined:
      return t('Loading')
    default:
      return t('Running')
  }
}

export const pages = { CeleryTaskLog: TaskLog, TaskLog }
