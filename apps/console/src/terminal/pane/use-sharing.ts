import type { ShareWanted } from '@sallyport/contract/socket/room.ts'
import { useRef, useState } from 'react'
import { EMPTY_ROOM, roomHandlers, type ShareRequest } from './room.ts'

interface SharingMessages {
  share: (wanted: ShareWanted) => void
  remove: (id: string) => void
}

/**
 * People in a session, and the links by which others join it. A link that was requested when the
 * connection was lost is requested again.
 */
export function useSharing(send: SharingMessages) {
  const [room, setRoom] = useState(EMPTY_ROOM)
  const sessionId = useRef<string>(undefined)
  const unanswered = useRef<ShareWanted>(undefined)
  const ofRoom = roomHandlers(setRoom)
  return {
    room,
    sessionId,
    handlers: {
      ...ofRoom,
      TERMINAL_SHARE(made: Parameters<typeof ofRoom.TERMINAL_SHARE>[0]) {
        unanswered.current = undefined
        ofRoom.TERMINAL_SHARE(made)
      },
    },
    /** The connection is back. */
    resume() {
      if (unanswered.current) send.share(unanswered.current)
    },
    /** The session is over. */
    end() {
      unanswered.current = undefined
      setRoom(EMPTY_ROOM)
    },
    /** For the pane. */
    tools: {
      room,
      /** Requests a link. */
      onShare(request: ShareRequest) {
        if (!sessionId.current) return
        unanswered.current = { session_id: sessionId.current, ...request }
        send.share(unanswered.current)
      },
      /** The last link was seen. */
      onShared() {
        unanswered.current = undefined
        setRoom((now) => ({ ...now, share: undefined }))
      },
      onRemove: send.remove,
    },
  }
}
