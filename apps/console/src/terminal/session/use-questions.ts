import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import type { SessionLine, StartedSession } from '../screen/session-line.ts'
import type { SocketTarget } from '../screen/socket.ts'
import type { TabState } from '../tabs/tabs.ts'
import { FIRST_STATUS, type Status, statusAfter } from './desktop/desktop-status.ts'
import { CLOSED_WORDS } from './notice.ts'
import { openOwnLine } from './own-line.ts'

/** The size of a terminal, which the gateway wants of everybody. */
const NO_TERMINAL = { cols: 80, rows: 24 }

export interface QuestionsOptions {
  target: SocketTarget
  /** A new number is a new session. */
  attempt: number
  onState: (state: TabState, attempt: number) => void
  /** Whose session it is, and on what. */
  onStarted?: (session: StartedSession) => void
  /** What the gateway tells beside answers. */
  onNews?: (type: string, data: unknown) => void
}

/** Asks what the session is on; throws what that refuses, in its words. */
export type Ask = <Answer>(about: Record<string, unknown>) => Promise<Answer>

/**
 * The session of a page that looks around by asking: what it asks, and what else the gateway has
 * said. It ends with its line. `Start`: what the page learns at the start.
 */
export function useQuestions<Start>(options: QuestionsOptions) {
  const { attempt } = options
  const line = useRef<SessionLine>(undefined)
  const questions = useRef(new Map<number, (reply: { error?: string }) => void>())
  const count = useRef(0)
  const [status, setStatus] = useState<Status>(FIRST_STATUS)
  const [reached, setReached] = useState<{ attempt: number; start: Start }>()
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
    const opened = openOwnLine(
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
        onMessage(type, data) {
          if (type === 'WORKBENCH_REPLY') {
            const { question, ...reply } = data as { question: number; error?: string }
            questions.current.get(question)?.(reply)
            questions.current.delete(question)
            setAsking(questions.current.size > 0)
            return
          }
          if (type === 'WORKBENCH_START') {
            setReached({ attempt, start: data as Start })
            latest.current.onState('connected', attempt)
          }
          latest.current.onNews?.(type, data)
          setStatus((now) => statusAfter(now, type, data))
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
    (about) =>
      new Promise((resolve, reject) => {
        if (!line.current) return reject(new Error(t('Not connected')))
        const question = ++count.current
        questions.current.set(question, ({ error, ...reply }) =>
          error === undefined ? resolve(reply as never) : reject(new Error(error)),
        )
        setAsking(true)
        line.current.message('WORKBENCH_ASK', { question, ask: about })
      }),
  )
  const tell = useRef((type: string, data: object) => line.current?.message(type, data))
  return {
    status,
    setStatus,
    /** Once this attempt has reached it. */
    start: reached?.attempt === attempt ? reached.start : undefined,
    /** Always the same. */
    ask: ask.current,
    /** Tells the gateway what has no answer. Always the same. */
    tell: tell.current,
    /** Not all that was asked has been answered. */
    isAsking,
    /** What waits to be confirmed is withdrawn. */
    cancel: () => line.current?.message('WORKBENCH_CANCEL', {}),
    answer(text: string | undefined) {
      setStatus((now) => ({ ...now, question: undefined }))
      line.current?.message('WORKBENCH_ANSWER', text === undefined ? {} : { text })
    },
  }
}
