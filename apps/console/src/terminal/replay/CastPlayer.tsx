import 'asciinema-player/dist/bundle/asciinema-player.css'
import { Button, Checkbox } from 'antd'
import { create, type Player } from 'asciinema-player'
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { IDLE_LIMIT_S, playerTime, type Recording, sessionTime } from './recording.ts'

const DEFAULT_SPEED = 2

export interface CastPlayerHandle {
  /** Jumps to a moment of the session, in seconds, and plays on. */
  seek: (seconds: number) => void
}

export interface CastPlayerProps {
  recording: Recording
  /** Second of the session to begin at. */
  startAt: number
  ref?: Ref<CastPlayerHandle>
}

/** The player with its own bar, and ours: speed, restart, skip idle time. */
export function CastPlayer({ recording, startAt, ref }: CastPlayerProps) {
  const box = useRef<HTMLDivElement>(null)
  const player = useRef<Player>(undefined)
  /** Moment of the session where a newly made player begins. */
  const resumeAt = useRef(startAt)
  const playing = useRef(true)
  const [speed, setSpeed] = useState(DEFAULT_SPEED)
  const [skipIdle, setSkipIdle] = useState(true)

  useEffect(() => {
    // The player takes speed and idle limit only when it is made, so a change makes another one that goes on at the same moment.
    const made = create({ data: recording.cast }, box.current as HTMLDivElement, {
      speed,
      ...(skipIdle ? { idleTimeLimit: IDLE_LIMIT_S } : {}),
      startAt: resumeAt.current,
      autoPlay: playing.current,
      preload: true,
      fit: 'both',
      controls: true,
      terminalFontFamily:
        '"JetBrains Mono", "Cascadia Mono", Consolas, Menlo, "DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono CJK SC", monospace',
    })
    player.current = made
    made.addEventListener('play', () => {
      playing.current = true
    })
    made.addEventListener('pause', () => {
      playing.current = false
    })
    return () => {
      resumeAt.current = sessionTime(recording.times, made.getCurrentTime(), skipIdle)
      player.current = undefined
      made.dispose()
    }
  }, [recording, speed, skipIdle])

  const seek = (seconds: number) => {
    const current = player.current
    if (!current) return
    void Promise.resolve(current.seek(playerTime(recording.times, seconds, skipIdle))).then(() => current.play())
  }
  useImperativeHandle(ref, () => ({ seek }))

  return (
    <div className="wt-player">
      <div className="wt-player-screen" ref={box} />
      <div className="wt-player-bar" role="toolbar" aria-label={t('Replay')}>
        <Button size="small" disabled={speed <= 1} onClick={() => setSpeed(speed - 1)}>
          {t('Slower')}
        </Button>
        <span aria-live="polite">
          {t('Speed')} {speed}x
        </span>
        <Button size="small" onClick={() => setSpeed(speed + 1)}>
          {t('Faster')}
        </Button>
        <Button size="small" onClick={() => seek(0)}>
          {t('Restart')}
        </Button>
        <Checkbox checked={skipIdle} onChange={({ target }) => setSkipIdle(target.checked)}>
          {t('Skip idle time')}
        </Checkbox>
      </div>
    </div>
  )
}
