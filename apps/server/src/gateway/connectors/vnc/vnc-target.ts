import type { FastifyBaseLogger } from 'fastify'
import type { Picture } from '../../kinds/desktop/picture/picture.ts'
import type { DesktopListener, DesktopTarget } from '../../kinds/desktop/streams.ts'
import {
  clientStart,
  cutText,
  keyEvent,
  pointerEvent,
  type ScreenLayout,
  setDesktopSize,
  updateRequest,
} from '../../protocols/rfb/messages.ts'
import { READABLE, readServer } from '../../protocols/rfb/read-server.ts'
import { StepReader } from '../../protocols/steps.ts'
import type { ServerConnection } from '../server-connection.ts'
import type { ServerScreen } from './sign-in.ts'

/** Between two updates: who sends more, or without being asked, is not read any faster. */
const UPDATE_MS = 15
/** With more unsent than this, a server that takes nothing any more gets nothing more either. */
const MAX_UNSENT = 1024 * 1024

interface Parts {
  server: ServerConnection
  screen: ServerScreen
  picture: Picture
  log: Pick<FastifyBaseLogger, 'info'>
}

/**
 * A VNC server as a session takes it: its picture is asked for piece by piece, and read no faster
 * than one update in `UPDATE_MS`.
 */
export function vncTarget({ server, screen, picture, log }: Parts): DesktopTarget {
  const { stream } = server
  let listener: DesktopListener | undefined
  let layout: ScreenLayout | undefined
  let isPaused = false
  let isClosed = false
  /** Set between an update and the time for the next. */
  let resting: NodeJS.Timeout | undefined
  let asked = 0
  let wantsAll = true

  const send = (bytes: Buffer) => {
    if (!isClosed && stream.writable && stream.writableLength < MAX_UNSENT) stream.write(bytes)
  }
  const ask = () => {
    asked = performance.now()
    send(updateRequest(picture, !wantsAll))
    wantsAll = false
  }
  const rest = () => {
    const left = UPDATE_MS - (performance.now() - asked)
    resting = setTimeout(
      () => {
        resting = undefined
        if (isClosed || isPaused) return
        ask()
        read()
      },
      Math.max(0, left),
    )
    stream.pause()
  }
  const reader = new StepReader(
    readServer(picture, {
      updated() {
        listener?.changed()
        rest()
      },
      resized() {
        wantsAll = true
      },
      resizable(of) {
        layout = of
      },
      copied: (text) => listener?.copied(text),
      bell: () => listener?.bell(),
    }),
  )
  const read = () => {
    try {
      reader.read(() => resting !== undefined || isClosed || isPaused)
      if (!resting && !isClosed && !isPaused) stream.resume()
    } catch (error) {
      log.info({ err: error }, 'a VNC server does not speak its protocol')
      server.close()
      stream.destroy()
    }
  }
  const close = () => {
    if (isClosed) return
    isClosed = true
    clearTimeout(resting)
    server.close()
    stream.destroy()
  }
  return {
    picture,
    name: screen.name,
    get canResize() {
      return layout !== undefined
    },
    start(given) {
      listener = given
      stream.on('data', (bytes: Buffer) => {
        reader.add(bytes)
        read()
      })
      const onEnd = () => given.end({ isLost: true })
      if (stream.destroyed) return onEnd()
      stream.once('close', onEnd)
      stream.once('end', () => stream.destroy())
      send(clientStart(READABLE))
      ask()
    },
    key: (isDown, keysym) => send(keyEvent(isDown, keysym)),
    pointer: (buttons, x, y) => send(pointerEvent(buttons, x, y)),
    paste: (text) => send(cutText(text)),
    resize({ width, height }) {
      if (layout) send(setDesktopSize(width, height, layout))
    },
    pause() {
      isPaused = true
      stream.pause()
    },
    resume() {
      isPaused = false
      if (resting) return
      ask()
      read()
    },
    close,
  }
}
