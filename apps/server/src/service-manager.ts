import { spawn } from 'node:child_process'

const { NOTIFY_SOCKET } = process.env
// Not for programs that we start: PostgreSQL would say that the service is ready.
delete process.env.NOTIFY_SOCKET

/**
 * Tells systemd how this service is doing (`READY=1`, `STOPPING=1`; sd_notify(3)), where it wants to
 * know. Its own program sends it: Node has no sockets of that kind.
 */
export function tellServiceManager(state: string): void {
  if (!NOTIFY_SOCKET) return
  const environment = { PATH: process.env.PATH, NOTIFY_SOCKET }
  spawn('systemd-notify', [state], { stdio: 'ignore', env: environment }).on('error', (error) =>
    console.error(`systemd is not told ${state}: systemd-notify does not run (${error.message})`),
  )
}
