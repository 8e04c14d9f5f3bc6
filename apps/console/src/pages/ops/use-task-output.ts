import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { watchNews } from '../news/news.ts'
import { plainOutput } from './plain-output.ts'

const RETRY_MS = 2000

/**
 * The output of a task so far, streamed over its socket; a lost connection is opened again and
 * reads from the start.
 */
export function useTaskOutput(task: string, isOver: boolean): string {
  const [output, setOutput] = useState('')
  const isFinished = useRef(isOver)
  isFinished.current = isOver
  useEffect(() => {
    let received = ''
    return watchNews('taskLog', {
      question: { task },
      onOpen() {
        received = ''
      },
      onNews({ message }) {
        received += message
        setOutput(plainOutput(received))
      },
      onLost() {
        if (isFinished.current) return undefined
        setOutput((now) => `${now}\n${t('Connection lost, connecting again')}\n`)
        return RETRY_MS
      },
    })
  }, [task])
  return output
}
