/** An event of an object. */
export interface ShownEvent {
  type: string
  reason: string
  message: string
  /** How often. */
  count: number
  /** When last, in ISO 8601. */
  at: string
  /** Reporter of the event. */
  from: string
}

/** As the API has it (https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/), old fields and new. */
export interface WireEvent {
  metadata?: { creationTimestamp?: unknown }
  type?: unknown
  reason?: unknown
  message?: unknown
  count?: unknown
  firstTimestamp?: unknown
  lastTimestamp?: unknown
  eventTime?: unknown
  series?: { count?: unknown; lastObservedTime?: unknown }
  source?: { component?: unknown }
  reportingComponent?: unknown
}

const TEXT_MAX = 2000

/** The newest first. */
export const shownEvents = (events: readonly WireEvent[]): ShownEvent[] =>
  events.map(shownEvent).sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))

function shownEvent(event: WireEvent): ShownEvent {
  const { series, lastTimestamp, eventTime, firstTimestamp, metadata, source } = event
  const text = (...values: unknown[]) => String(values.find((one) => one) ?? '').slice(0, TEXT_MAX)
  return {
    type: text(event.type),
    reason: text(event.reason),
    message: text(event.message),
    count: Number(series?.count ?? event.count ?? 1) || 1,
    at: text(series?.lastObservedTime, lastTimestamp, eventTime, firstTimestamp, metadata?.creationTimestamp),
    from: text(source?.component, event.reportingComponent),
  }
}
