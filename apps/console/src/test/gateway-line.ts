/** The lines that a page opens to the gateway; a test speaks for its other end. Stub it in for `WebSocket`. */
export class GatewayLine extends EventTarget {
  static readonly OPEN = 1
  static readonly opened: GatewayLine[] = []
  readyState = GatewayLine.OPEN
  /** Messages of the page. */
  readonly sent: { type: string; data: Record<string, unknown> }[] = []

  constructor() {
    super()
    GatewayLine.opened.push(this)
  }

  static get last(): GatewayLine {
    return GatewayLine.opened.at(-1) as GatewayLine
  }

  send(text: string): void {
    const { type, data } = JSON.parse(text)
    this.sent.push({ type, data: data ? JSON.parse(data) : {} })
  }

  close(): void {
    this.readyState = 3
  }

  say(type: string, data: object = {}): void {
    const text = JSON.stringify({ id: 'line', type, data: JSON.stringify(data) })
    this.dispatchEvent(new MessageEvent('message', { data: text }))
  }

  /** A session begins on it, which may come back if the line breaks. */
  begin(start: object): void {
    this.dispatchEvent(new Event('open'))
    this.say('CONNECT')
    this.say('TERMINAL_SESSION', { session: { id: 's1', user: 'Ada(ada)', asset: 'shop' }, reattach: 5 })
    this.say('WORKBENCH_START', start)
  }

  /** It ends without a word. */
  lose(): void {
    this.close()
    this.dispatchEvent(new CloseEvent('close'))
  }
}
