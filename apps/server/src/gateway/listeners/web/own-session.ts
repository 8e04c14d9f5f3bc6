import { DetachableOwner, type Line } from '../../kinds/terminal/detachable-owner.ts'
import { type Reattachable, reattachMinutes } from '../../kinds/terminal/reattachments.ts'
import type { Owner, TerminalSize } from '../../kinds/terminal/streams.ts'
import { TerminalDialogue } from '../../kinds/terminal/terminal-dialogue.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'
import { TypeAhead } from '../../kinds/terminal/type-ahead.ts'
import type { SessionSummary } from '../../session/session-summary.ts'
import { passOn, type Role, type TerminalRequest, tellParticipants } from './role.ts'
import { shareMessage } from './share.ts'

/** What xterm.js is. */
const TERM = 'xterm-256color'
/**
 * A new session of one's own. It outlives the line when the client has said that it can come back.
 */
export function openOwnSession(request: TerminalRequest): Role {
  const { kernel, gateway, line, person, query } = request
  const decoder = new TextDecoder('utf-8')
  const dialogue = new TerminalDialogue((text) => line.show(Buffer.from(text)))
  const typedAhead = new TypeAhead()
  const over = new AbortController()
  const client = { name: query.client ?? '', received: 0 }
  const minutes = query.client ? reattachMinutes(kernel) : 0
  let live: TerminalSession | undefined
  let mine: Reattachable | undefined
  let size: TerminalSize
  let answered = false

  const end = lineEnd(request, () => (!held || held.isOn(end) ? live : undefined))
  const held = minutes > 0 ? new DetachableOwner(end, gateway.elapsed) : undefined
  const deliverTypedAhead = () => {
    const typed = answered ? typedAhead.take() : undefined
    if (typed?.length) live?.input(typed)
  }
  const owner: Owner = {
    write(bytes, stream) {
      const shown = (held ?? end).write(bytes, stream)
      if (!answered) {
        answered = true
        // The shell is there. Its first words are not to wait for what is done with the input.
        queueMicrotask(deliverTypedAhead)
      }
      return shown
    },
    transfer: (running) => (held ?? end).transfer(running),
    close: (how) => (held ?? end).close(how),
  }
  const ask = (first: TerminalSize, onCreated: (session: SessionSummary) => void) => ({
    kind: 'terminal' as const,
    person,
    target: { family: query.family, id: query.target_id },
    systemUserId: query.system_user_id ?? '',
    program: { terminal: { type: TERM, size: first } },
    dialogue,
    owner,
    onCreated,
  })
  const onGone = () => {
    dialogue.close()
    if (!mine) over.abort()
    else if (mine.held.lost(end)) gateway.reattachments.note(mine, 'detached', person)
  }

  return {
    async open(first) {
      size = first
      const leave = enter(
        request,
        () => live,
        () => held?.isOn(end) !== false,
      )
      over.signal.addEventListener('abort', leave)
      line.gone.addEventListener('abort', onGone)
      let session: SessionSummary | undefined
      live = await gateway.open(
        ask(first, (created) => {
          session = created
          line.send('TERMINAL_SESSION', { session: created, ...(minutes ? { reattach: minutes } : {}) })
        }),
        over.signal,
      )
      if (held && session) {
        held.started(live)
        mine = { session, live, held, client, leave }
        gateway.reattachments.add(mine)
      }
      joinParticipants(request, live)
      // The window may have changed while the machine was being reached.
      live.resize(size)
      deliverTypedAhead()
    },
    input(bytes) {
      if (held?.isOn(end) === false) return
      client.received += bytes.length
      if (live) {
        deliverTypedAhead()
        passOn(line, live, bytes)
      } else if (dialogue.asked) {
        typedAhead.forget()
        dialogue.input(decoder.decode(bytes, { stream: true }))
      } else typedAhead.add(bytes)
    },
    resize(next) {
      size = next
      if (held?.isOn(end) !== false) live?.resize(next)
    },
    message(type, data) {
      if (live && held?.isOn(end) !== false) shareMessage(request, live, type, data)
    },
    leave() {
      if (live && held?.isOn(end)) void live.end('left')
      else line.socket.close()
    },
  }
}

/** Goes on with a session of one's own whose line broke, or that is open elsewhere. */
export function resumeOwnSession(request: TerminalRequest): Role {
  const { gateway, line, person, query } = request
  let mine: Reattachable | undefined
  const end = lineEnd(request, () => current()?.live)
  const current = () => (mine?.held.isOn(end) ? mine : undefined)
  return {
    async open(size) {
      mine = await gateway.reattachments.claim(query.target_id, person)
      if (line.gone.aborted) return
      const { held, live, session } = mine
      const known = mine.client.name === query.client
      if (!known) mine.client = { name: query.client ?? '', received: 0 }
      mine.leave()
      mine.leave = enter(
        request,
        () => live,
        () => held.isOn(end),
      )
      line.gone.addEventListener('abort', () => {
        if (mine?.held.lost(end)) gateway.reattachments.note(mine, 'detached', person)
      })
      line.send('TERMINAL_SESSION', {
        session,
        resumed: true,
        received: mine.client.received,
        reattach: gateway.reattachments.minutes,
      })
      gateway.reattachments.note(mine, 'resumed', person)
      joinParticipants(request, live)
      await held.resume(end, size)
    },
    input(bytes) {
      const one = current()
      if (!one) return
      one.client.received += bytes.length
      passOn(line, one.live, bytes)
    },
    resize: (size) => current()?.live.resize(size),
    message(type, data) {
      const one = current()
      if (one) shareMessage(request, one.live, type, data)
    },
    leave() {
      const one = current()
      if (one) void one.live.end('left')
      else line.socket.close()
    },
  }
}

/** A browser as the end of a session; the session is what waits while the browser is behind. */
function lineEnd({ line, say }: TerminalRequest, session: () => TerminalSession | undefined): Line & Required<Owner> {
  return {
    write: (bytes) => line.write(bytes, () => session()?.ownerDrained()),
    transfer: (running) => line.send('TERMINAL_ACTION', running ? 'ZMODEM_START' : 'ZMODEM_END'),
    close: () => line.finish(),
    moved() {
      line.send('TERMINAL_MOVED', say('You work on in another window.'))
      line.finish()
    },
  }
}

/**
 * Somebody who signs out, or is disabled, leaves; so does what they left waiting. Answers how to
 * leave.
 */
function enter(
  { gateway, line, person, signIn, say }: TerminalRequest,
  live: () => TerminalSession | undefined,
  atWork: () => boolean,
): () => void {
  const leave = gateway.presence.enter({
    userId: person.id,
    signIn,
    get atWork() {
      return atWork()
    },
    allowed: async () => true,
    dismiss(words) {
      const session = live()
      if (session) void session.end('signed_out', words)
      else line.refuse(say(words.text, words.values))
    },
  })
  return leave
}

/** Takes part in the session until the line ends. */
function joinParticipants({ line, person }: TerminalRequest, live: TerminalSession): void {
  const leave = live.participants.enter(
    {
      user_id: person.id,
      user: `${person.name}(${person.username})`,
      remote_addr: person.remoteAddress,
      primary: true,
      writable: true,
    },
    { tell: (event) => tellParticipants(line, event) },
  )
  if (live.isLocked) line.send('TERMINAL_LOCK', { locked: true, by: '' })
  if (line.gone.aborted) leave()
  else line.gone.addEventListener('abort', leave)
}
