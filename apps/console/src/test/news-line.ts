/** The sockets of news that a page opens; a test speaks for the server. Stub it in for `WebSocket`. */
export class NewsLine extends EventTarget {
  static readonly opened: NewsLine[] = []
  /** Messages of the page, as JSON. */
  readonly sent: string[] = []
  readonly address: string
  isClosed = false

  constructor(address: string) {
    super()
    this.address = address
    NewsLine.opened.push(this)
  }

  static get last(): NewsLine {
    return NewsLine.opened.at(-1) as NewsLine
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {
    this.isClosed = true
  }

  /** A frame as it is, or an object as JSON. */
  say(frame: string | object): void {
    const data = typeof frame === 'string' ? frame : JSON.stringify(frame)
    this.dispatchEvent(new MessageEvent('message', { data }))
  }

  lose(code = 1006): void {
    this.dispatchEvent(new CloseEvent('close', { code }))
  }

  fail(code = 1006): void {
    this.dispatchEvent(new Event('error'))
    this.lose(code)
  }
}
