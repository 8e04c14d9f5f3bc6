import {
  type AnswerBy,
  type AnswerSchema,
  BROWSER,
  type BrowserQuestion,
  type BrowserStart,
  readAnswer,
} from '@sallyport/contract/socket/browsers.ts'
import type { ClusterFromClient, ClusterFromGateway } from '@sallyport/contract/socket/cluster.ts'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import type { StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import type { TabState } from '../tabs/tabs.ts'
import { FIRST_STATUS, type Status, statusHandlers } from './desktop/desktop-status.ts'
import { CLOSED_WORDS } from './notice.ts'
import { type LineOf, openOwnLine } from './own-line.ts'
import { NOT_SHARED } from './room.ts'

/** The size of a terminal, which the gateway wants of everybody. */
const NO_TERMINAL = { cols: 80, rows: 24 }

export interface QuestionsOptions {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  onState: (state: TabState, attempt: number) => void
  /** Whose session it is, and on what. */
  onStarted?: (session: StartedSession) => void
  /** What has changed in a list that is followed. */
  onChanges?: (changes: ListChanges) => void
}
export type ListChanges = Extract<ClusterFromGateway, { type: 'WORKBENCH_CHANGES' }>['data']

export type FollowWanted = Extract<ClusterFromClient, { type: 'WORKBENCH_FOLLOW' }>['data']

/** Asks what the session is on; throws what that refuses, in its words. `answer` is what the reply has to be. */
export type Ask = <Schema extends AnswerSchema>(question: BrowserQuestion, answer: Schema) => Promise<AnswerBy<Schema>>

/**
 * The session of a page that looks around by asking: what it asks, and what else the gateway has
 * said. It ends with its line.
 */
export function useQuestions(options: QuestionsOptions) {
  const { attempt } = options
  const line = useRef<LineOf<typeof BROWSER>>(undefined)
  const questions = useRef(new Map<number, (reply: { error?: string | undefined }) => void>())
  const count = useRef(0)
  const [status, setStatus] = useState<Status>(FIRST_STATUS)
  const [reached, setReached] = useState<{ attempt: number; start: BrowserStart }>()
  const [isAsking, setAsking] = useState(false)
  const latest = useRef(options)
  latest.current = options

  const lineGone = () => {
    for (const answer of questions.current.values()) answer({ error: t('Not connected') })
    questions.current.clear()
    setAsking(false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line for a new attempt, and for nothing else
  useEffect(() => {
    setStatus(FIRST_STATUS)
    const ofStatus = statusHandlers(setStatus)
    const opened = openOwnLine(
      BROWSER,
      { target: latest.current.target },
      {
        size: () => NO_TERMINAL,
        onOutput: () => {},
        onSession: (session) => latest.current.onStarted?.(session),
        onError: (text) => setStatus((now) => ({ ...now, notice: text, isLast: true })),
        onLost: lineGone,
        onBack: () => {},
        onRefused: () => {},
        onInputLost: () => {},
        on: {
          WORKBENCH_REPLY({ question, ...reply }) {
            questions.current.get(question)?.(reply)
            questions.current.delete(question)
            setAsking(questions.current.size > 0)
          },
          WORKBENCH_START(start) {
            setReached({ attempt, start })
            latest.current.onState('connected', attempt)
            ofStatus.start(start)
          },
          WORKBENCH_CHANGES: (changes) => latest.current.onChanges?.(changes),
          WORKBENCH_NOTICE: ofStatus.notice,
          WORKBENCH_ASK: ofStatus.ask,
          WORKBENCH_WAIT: ofStatus.wait,
          WORKBENCH_PROGRESS: ofStatus.progress,
          ...NOT_SHARED,
          TERMINAL_LOCK: ofStatus.lock,
        },
        onClosed(by) {
          lineGone()
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
      lineGone()
      opened.end()
    }
  }, [attempt])

  const ask = useRef<Ask>(
    (asked, schema) =>
      new Promise((resolve, reject) => {
        if (!line.current) return reject(new Error(t('Not connected')))
        const question = ++count.current
        questions.current.set(question, ({ error, ...reply }) => {
          const answer = error === undefined ? readAnswer(schema, reply) : undefined
          if (answer === undefined) reject(new Error(error ?? t('This cannot be shown')))
          else resolve(answer)
        })
        setAsking(true)
        line.current.message('WORKBENCH_ASK', { question, ask: asked })
      }),
  )
  const follow = useRef((wanted: FollowWanted) => line.current?.message('WORKBENCH_FOLLOW', wanted))
  return {
    status,
    setStatus,
    /** Once this attempt has reached it. */
    start: reached?.attempt === attempt ? reached.start : undefined,
    /** Always the same. */
    ask: ask.current,
    /** Has changes of a list told. Always the same. */
    follow: follow.current,
    /** Not all that was asked has been answered. */
    isAsking,
    /** What waits to be confirmed is withdrawn. */
    cancel: () => line.current?.message('WORKBENCH_CANCEL'),
    answer(text: string | undefined) {
      setStatus((now) => ({ ...now, question: undefined }))
      line.current?.message('WORKBENCH_ANSWER', text === undefined ? {} : { text })
    },
  }
}
