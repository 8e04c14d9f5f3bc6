import type { CommandNews } from '@sallyport/contract/socket/news.ts'
import { useEffect, useRef, useState } from 'react'

const RETRY_MS = 2000
/** Outcomes are read again at most so often, however many machines come further. */
const READ_MS = 500

/** Output of a machine so far. */
export interface LiveOutput {
  stdout: string
  stderr: string
}

export const NOTHING_YET: LiveOutput = { stdout: '', stderr: '' }

interface LiveNews {
  /** By asset, of machines that wrote something. */
  live: ReadonlyMap<string, LiveOutput>
  /** Whether news come by themselves; otherwise somebody should look. */
  isConnected: boolean
}

/**
 * The output of the machines of a run as it comes; drawn once a frame. `onChange` is called when one of
 * them came further. A lost connection is opened again, and tells all from the beginning.
 */
export function useCommandNews(run: string, onChange: () => void): LiveNews {
  const [news, setNews] = useState<LiveNews>({ live: new Map(), isConnected: false })
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    let stopped = false
    let frame = 0
    let reading: ReturnType<typeof setTimeout> | undefined
    let retrying: ReturnType<typeof setTimeout> | undefined
    let socket: WebSocket
    const readSoon = () => {
      reading ??= setTimeout(() => {
        reading = undefined
        changed.current()
      }, READ_MS)
    }
    const open = () => {
      const live = new Map<string, LiveOutput>()
      let isOver = false
      socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${PATH}`)
      const draw = () => {
        cancelAnimationFrame(frame)
        frame = requestAnimationFrame(() => setNews({ live: new Map(live), isConnected: !isOver }))
      }
      socket.onopen = () => {
        socket.send(JSON.stringify({ execution: run }))
        draw()
      }
      socket.onmessage = ({ data }) => {
        const { output, is_changed, is_over } = JSON.parse(String(data)) as CommandNews
        for (const { asset, stream, data: text } of output) {
          const known = live.get(asset) ?? NOTHING_YET
          live.set(asset, { ...known, [stream]: known[stream] + text })
        }
        if (is_changed) readSoon()
        if (is_over) {
          isOver = true
          changed.current()
          socket.close()
        }
        draw()
      }
      socket.onclose = () => {
        if (stopped || isOver) return
        setNews((now) => ({ ...now, isConnected: false }))
        retrying = setTimeout(open, RETRY_MS)
      }
    }
    open()
    return () => {
      stopped = true
      cancelAnimationFrame(frame)
      clearTimeout(reading)
      clearTimeout(retrying)
      socket.close()
    }
  }, [run])
  return news
}

const PATH = '/ws/ops/command-executions/'
