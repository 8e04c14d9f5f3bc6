import { useEffect, useRef, useState } from 'react'
import { watchNews } from '../../news/news.ts'

const RETRY_MS = 2000
/** Outcomes are read again at most this often, however many machines change their state. */
const READ_MS = 500

/** The output of a machine so far. */
export interface LiveOutput {
  stdout: string
  stderr: string
}

export const NOTHING_YET: LiveOutput = { stdout: '', stderr: '' }

interface LiveNews {
  /** By asset, for machines that wrote something. */
  live: ReadonlyMap<string, LiveOutput>
  /** Whether news arrive; if not, poll. */
  isConnected: boolean
}

/**
 * The output of the machines of a run, as they write it; drawn once a frame. `onChange` is called
 * when a machine changes its state. A lost connection is opened again and reads from the start.
 */
export function useCommandNews(run: string, onChange: () => void): LiveNews {
  const [news, setNews] = useState<LiveNews>({ live: new Map(), isConnected: false })
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    let live = new Map<string, LiveOutput>()
    let frame = 0
    let reading: ReturnType<typeof setTimeout> | undefined
    const draw = (isConnected: boolean) => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => setNews({ live: new Map(live), isConnected }))
    }
    const readSoon = () => {
      reading ??= setTimeout(() => {
        reading = undefined
        changed.current()
      }, READ_MS)
    }
    const end = watchNews('commandNews', {
      question: { execution: run },
      onOpen() {
        live = new Map()
        draw(true)
      },
      onNews({ output, is_changed, is_over }) {
        for (const { asset, stream, data } of output) {
          const known = live.get(asset) ?? NOTHING_YET
          live.set(asset, { ...known, [stream]: known[stream] + data })
        }
        if (is_changed) readSoon()
        if (is_over) {
          changed.current()
          end()
        }
        draw(!is_over)
      },
      onLost() {
        setNews((now) => ({ ...now, isConnected: false }))
        return RETRY_MS
      },
    })
    return () => {
      end()
      cancelAnimationFrame(frame)
      clearTimeout(reading)
    }
  }, [run])
  return news
}
