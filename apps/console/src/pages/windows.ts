import { WIRE } from '@sallyport/contract/constants.ts'

/** Opens the live output of a background task (docs/rules/console.md#task_log_window). */
export function openTaskLog(task: string): void {
  window.open(`/ui/ops/celery/task/${encodeURIComponent(task)}/log/?type=celery`, '', 'width=900,height=600')
}

/**
 * Opens the live picture of a running session; `ticket` is the one that let it in, for those who
 * decided on it.
 */
export function openMonitor(session: string, ticket?: string): void {
  const query = ticket ? `?ticket=${encodeURIComponent(ticket)}` : ''
  window.open(`${WIRE.webTerminalBase}monitor/${encodeURIComponent(session)}${query}`, '', 'width=800,height=600')
}

/** Opens the player of a finished session. */
export function openReplay(session: string): void {
  window.open(replayAddress(session), '_blank')
}

/** Address of that player; `moment`, in Unix seconds, is where it begins. */
export function replayAddress(session: string, moment?: number): string {
  const address = `${WIRE.webTerminalBase}replay/${encodeURIComponent(session)}`
  return moment === undefined ? address : `${address}?timestamp=${Math.floor(moment)}`
}

/** Opens the web terminal on an asset. */
export function openTerminal(asset: string): void {
  window.open(`${WIRE.webTerminalBase}?login_to=${encodeURIComponent(asset)}`, '_blank')
}

/** Opens the file manager on an asset. */
export function openFiles(asset: string): void {
  window.open(`${WIRE.fileManagerBase}${encodeURIComponent(asset)}/`, '_blank')
}
