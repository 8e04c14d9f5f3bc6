import type { FastifyBaseLogger } from 'fastify'
import { isCommand } from '../../kinds/desktop/command-keys.ts'
import type { Picture } from '../../kinds/desktop/picture/picture.ts'
import type { DesktopListener, DesktopTarget } from '../../kinds/desktop/streams.ts'
import { characterOf } from '../../protocols/keysyms.ts'
import { ExtendedClipboard } from '../../protocols/rfb/extended-clipboard.ts'
import {
  clientStart,
  cutText,
  FROM_CLIENT,
  keyEvent,
  pointerEvent,
  type ScreenLayout,
  setDesktopSize,
  updateRequest,
} from '../../protocols/rfb/messages.ts'
import { READABLE, readServer } from '../../protocols/rfb/read-server.ts'
import { StepReader } from '../../protocols/steps.ts'
import { ClipboardTypist } from '../clipboard-typist.ts'
import { BREACH } from '../desktop-refusals.ts'
import type { ServerConnection } from '../server-connection.ts'
import type { ServerScreen } from './sign-in.ts'

/** Between two updates: who sends more, or without being asked, is not read any faster. */
const UPDATE_MS = 15
/** X11's numbers of keys. */
const [SHIFT, INSERT, ALT_GR] = [0xffe1, 0xff63, 0xfe03]
/** From shift to hyper, on both sides. */
const isModifier = (keysym: number) => (keysym >= 0xffe1 && keysym <= 0xffee) || keysym === ALT_GR
/** Characters with such numbers are on few keyboards. */
const BEYOND_KEYBOARDS = 0x0100_0000
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
  let isBreached = false
  /** Set between an update and the time for the next. */
  let resting: NodeJS.Timeout | undefined
  let asked = 0
  let wantsAll = true

  const send = (bytes: Buffer) => {
    if (!isClosed && stream.writable && stream.writableLength < MAX_UNSENT) stream.write(bytes)
  }
  /** Set once the server has said that its clipboard takes every script. */
  let clipboard: ExtendedClipboard | undefined
  const held = new Set<number>()
  const offer = (text: string) => (clipboard ? clipboard.offer(text) : send(cutText(text)))
  const typist = new ClipboardTypist({
    offer,
    withdraw: () => clipboard?.withdraw(),
    press: () => {
      const lifted = [...held]
      for (const key of lifted) send(keyEvent(false, key))
      for (const isDown of [true, false])
        for (const key of isDown ? [SHIFT, INSERT] : [INSERT, SHIFT]) send(keyEvent(isDown, key))
      for (const key of lifted) send(keyEvent(true, key))
      return true
    },
    // A server does one thing after the other.
    answers: 0,
  })
  const copied = (text: string) => {
    if (typist.copied(text)) listener?.copied(text)
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
      copied,
      copiedTooMuch: () => typist.replaced(false),
      clipboard(message) {
        clipboard ??= new ExtendedClipboard({
          ...{ write: send, copied, type: FROM_CLIENT.cutText },
          fetched: () => typist.fetched(),
          replaced: (isExpected) => typist.replaced(isExpected),
        })
        clipboard.receive(message)
      },
      bell: () => listener?.bell(),
    }),
  )
  const read = () => {
    try {
      reader.read(() => resting !== undefined || isClosed || isPaused)
      if (!resting && !isClosed && !isPaused) stream.resume()
    } catch (error) {
      log.info({ err: error }, 'a VNC server does not speak its protocol')
      isBreached = !isClosed
      server.close()
      stream.destroy()
    }
  }
  const close = () => {
    if (isClosed) return
    isClosed = true
    clearTimeout(resting)
    clipboard?.close()
    typist.close()
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
      const onEnd = () => given.end(isBreached ? { message: BREACH } : { isLost: true })
      if (stream.destroyed) return onEnd()
      stream.once('close', onEnd)
      stream.once('end', () => stream.destroy())
      send(clientStart(READABLE))
      ask()
    },
    key(isDown, keysym) {
      if (isModifier(keysym)) held[isDown ? 'add' : 'delete'](keysym)
      if (isDown && isCommand(held)) typist.mayCopy()
      send(keyEvent(isDown, keysym))
    },
    // As keys they would be put on spare ones first, of which programs learn too late: they lose them.
    characterByClipboard: (keysym) =>
      clipboard?.isWhole && keysym > BEYOND_KEYBOARDS ? characterOf(keysym) : undefined,
    type: (text, mayPress) => typist.type(text, mayPress),
    pointer(buttons, x, y) {
      if (buttons) typist.mayCopy()
      send(pointerEvent(buttons, x, y))
    },
    paste: (text) => typist.paste(text),
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
