import type { AnswerBy, AnswerSchema, BrowserQuestion } from '@sallyport/contract/socket/browsers.ts'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { t } from '../../lib/i18n.ts'
import type { Ask } from '../pane/questions.ts'

/** The cluster's answer to a question, or why there is none. */
export interface Answer<Value> {
  answer: Value | undefined
  problem: string | undefined
}

/** Asks once for each count. */
export function useAnswer<Schema extends AnswerSchema>(
  ask: Ask,
  about: BrowserQuestion,
  schema: Schema,
  count: number,
): Answer<AnswerBy<Schema>> {
  const [shown, setShown] = useState<Answer<AnswerBy<Schema>>>({ answer: undefined, problem: undefined })
  const latest = useRef(about)
  latest.current = about
  const read = useCallback(() => ask(latest.current, schema), [ask, schema])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new count is a new question
  useEffect(() => {
    let isGone = false
    setShown((now) => ({ ...now, problem: undefined }))
    read().then(
      (answer) => !isGone && setShown({ answer, problem: undefined }),
      (error: Error) => !isGone && setShown({ answer: undefined, problem: error.message }),
    )
    return () => {
      isGone = true
    }
  }, [read, count])
  return shown
}

/** The answer; until then its place, or why there is nothing. */
export function Answered({
  of: { answer, problem },
  onRetry,
  children,
}: {
  of: Answer<unknown>
  onRetry: () => void
  children: ReactNode
}) {
  if (problem)
    return (
      <div className="kb-problem" role="alert">
        <p className="tool-pane-error">{problem}</p>
        <Button size="small" onClick={onRetry}>
          {t('Try again')}
        </Button>
      </div>
    )
  return answer === undefined ? <Skeleton lines={6} /> : children
}
