/** The sockets of news. Each message is checked against the contract; a malformed one changes nothing. */
import type { NewsName, NewsOn, QuestionOn } from '@sallyport/contract/socket/news.ts'

/** The close code of a connection that failed (RFC 6455 §7.4.1). */
const ABNORMAL_CLOSURE = 1006

export interface NewsEvents<Name extends NewsName> {
  /** Sent whenever the socket is open. */
  question?: QuestionOn<Name>
  onOpen?: () => void
  onNews: (news: NewsOn<Name>) => void
  /** The connection failed, or could not be opened; `onLost` follows. */
  onError?: () => void
  /**
   * The connection is lost.
   * @param code why, by RFC 6455
   * @returns milliseconds until it is opened again; undefined: never
   */
  onLost: (code: number) => number | undefined
}

/** Opens a socket of news, again whenever it is lost. Returns a function that ends it: no event follows. */
export function watchNews<Name extends NewsName>(name: Name, events: NewsEvents<Name>): () => void {
  let isEnded = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let socket: WebSocket | undefined
  const lost = (code: number) => {
    const pause = isEnded ? undefined : events.onLost(code)
    if (pause !== undefined) retry = setTimeout(open, pause)
  }
  const open = async () => {
    const door = await import('./news-door.ts').catch(() => undefined)
    if (isEnded) return
    if (!door) return lost(ABNORMAL_CLOSURE)
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${door.newsPath(name)}`)
    socket = opened
    opened.addEventListener('open', () => {
      if (isEnded) return
      if (events.question !== undefined) opened.send(JSON.stringify(events.question))
      events.onOpen?.()
    })
    opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const news = door.readNews[name](data)
      if (news !== undefined && !isEnded) events.onNews(news)
    })
    opened.addEventListener('error', () => isEnded || events.onError?.())
    opened.addEventListener('close', ({ code }) => lost(code))
  }
  void open()
  return () => {
    isEnded = true
    clearTimeout(retry)
    socket?.close()
  }
}
