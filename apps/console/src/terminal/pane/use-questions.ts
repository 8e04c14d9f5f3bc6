import { BROWSER, type BrowserStart, readAnswer } from '@sallyport/contract/socket/browsers.ts'
import type { ClusterFromClient, ClusterFromGateway } from '@sallyport/contract/socket/cluster.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import type { StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import type { TabState } from '../tabs/tabs.ts'
import { CLOSED_WORDS, NO_TERMINAL } from './notice.ts'
import { type LineOf, openOwnLine } from './own-line.ts'
import { FIRST_STATUS, type Status, statusHandlers } from './pane-status.ts'
import { type Ask, Questions } from './questions.ts'
import { NOT_SHARED } from './room.ts'

export interface QuestionsOptions {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  onState: (state: TabState, attempt: number) => void
  /** The session has begun: its person and its target. */
  onStarted?: (session: StartedSession) => void
  /** Changes of a list that is followed. */
  onChanges?: (changes: ListChanges) => void
}
export type ListChanges = Extract<ClusterFromGateway, { type: 'WORKBENCH_CHANGES' }>['data']

export type FollowWanted = Extract<ClusterFromClient, { type: 'WORKBENCH_FOLLOW' }>['data']

/**
 * The session of a page that browses a target by questions, and all that the gateway reports of it.
 * It ends with its connection.
 */
export function useQuestions(options: QuestionsOptions) {
  const { attempt } = options
  const line = useRef<LineOf<typeof BROWSER>>(undefined)
  const [isAsking, setAsking] = useState(false)
  const [questions] = useState(() => new Questions((count) => setAsking(count > 0)))
  const [status, setStatus] = useState<Status>(FIRST_STATUS)
  const [reached, setReached] = useState<{ attempt: number; start: BrowserStart }>()
  const latest = useRef(options)
  latest.current = options

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    setStatus(FIRST_STATUS)
    const { start, ...ofStatus } = browserHandlers(setStatus)
    const opened = openOwnLine(
      BROWSER,
      { target: latest.current.target },
      {
        size: () => NO_TERMINAL,
        onOutput: () => {},
        onSession: (session) => latest.current.onStarted?.(session),
        onError: (text) => setStatus((now) => ({ ...now, notice: text, isLast: true })),
        onLost: () => questions.drop(),
        onBack: () => {},
        onRefused: () => {},
        onInputLost: () => {},
        on: {
          ...ofStatus,
          WORKBENCH_REPLY: ({ question, ...reply }) => questions.take(question, reply),
          WORKBENCH_START(begun) {
            setReached({ attempt, start: begun })
            latest.current.onState('connected', attempt)
            start(begun)
          },
          WORKBENCH_CHANGES: (changes) => latest.current.onChanges?.(changes),
        },
        onClosed(by) {
          questions.drop()
          setStatus((now) => ({
            ...FIRST_STATUS,
            notice: now.isLast ? now.notice : CLOSED_WORDS[by === 'moved' ? 'ended' : by](),
            isLast: true,
          }))
          latest.current.onState('disconnected', attempt)
        },
      },
    )
    line.current = opened.line
    return () => {
      line.current = undefined
      questions.drop()
      opened.end()
    }
  }, [attempt])

  const ask = useCallback<Ask>(
    async (question, schema) => {
      const { current } = line
      if (!current) throw new Error(t('Not connected'))
      const send = (number: number) => current.message('WORKBENCH_ASK', { question: number, ask: question })
      const answer = readAnswer(schema, await questions.ask(send))
      if (answer === undefined) throw new Error(t('This cannot be shown'))
      return answer
    },
    [questions],
  )
  const follow = useCallback((wanted: FollowWanted) => line.current?.message('WORKBENCH_FOLLOW', wanted), [])
  return {
    ...{ status, setStatus, ask },
    /** Once this attempt has reached its target. */
    start: reached?.attempt === attempt ? reached.start : undefined,
    /** Requests the changes of a list. */
    follow,
    /** Some questions are not answered. */
    isAsking,
    /** Withdraws what waits for an approval. */
    cancel: () => line.current?.message('WORKBENCH_CANCEL'),
    answer(text: string | undefined) {
      setStatus((now) => ({ ...now, question: undefined }))
      line.current?.message('WORKBENCH_ANSWER', text === undefined ? {} : { text })
    },
  }
}

/** Keeps the status of a browser; `start` is for its first message. */
function browserHandlers(setStatus: (change: (now: Status) => Status) => void) {
  const { start, notice, ask, wait, progress, lock, watchers } = statusHandlers(setStatus)
  return {
    ...NOT_SHARED,
    start,
    WORKBENCH_NOTICE: notice,
    WORKBENCH_ASK: ask,
    WORKBENCH_WAIT: wait,
    WORKBENCH_PROGRESS: progress,
    TERMINAL_LOCK: lock,
    TERMINAL_WATCHERS: watchers,
  }
}
