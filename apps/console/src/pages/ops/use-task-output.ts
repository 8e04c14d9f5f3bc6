import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { plainOutput } from './plain-output.ts'

const RETRY_MS = 2000

/**
 * The output of a task so far, streamed over its socket; a lost connection is opened again and
 * reads from the start.
 */
export function useTaskOutput(task: string, over: boolean): string {
  const [output, setOutput] = useState('')
  const finished = useRef(over)
  finished.current = over
  useEffect(() => {
    let stopped = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let socket: WebSocket
    const open = () => {
      let received = ''
      socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/ops/tasks/log/`)
      socket.onopen = () =>
        socket.send(JSON.stringify({ task, type: new URLSearchParams(location.search).get('type') ?? 'celery' }))
      socket.onmessage = ({ data }) => {
        const { message } = JSON.parse(String(data)) as { message?: string }
        received += message ?? ''
        setOutput(plainOutput(received))
      }
      socket.onclose = () => {
        if (stopped || finished.current) return
        setOutput((now) => `${now}\n${t('Connection lost, connecting again')}\n`)
        timer = setTimeout(open, RETRY_MS)
      }
    }
    open()
    return () => {
      stopped = true
      clearTimeout(timer)
      socket.close()
    }
  }, [task])
  return output
}
