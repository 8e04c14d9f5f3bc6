import { useState } from 'react'
import { onClipboardWords, refusedWords, useGivenFiles } from './use-given-files.ts'

interface GivingOptions {
  sessionId: string | undefined
  /** Changes whenever the machine's files do; 0: there are none. */
  filesVersion: number
  /** The desktop is shown and connected. */
  isOn: boolean
  mayType: boolean
  /** Puts files on the machine's clipboard, by their ids. */
  paste: (ids: number[]) => void
  /** Shows a notice. */
  say: (notice: string) => void
}

/** Files that are dropped on a desktop or pasted into it, and the button that lists them. */
export function useGiving({ sessionId, filesVersion, isOn, mayType, paste, say }: GivingOptions) {
  const files = useGivenFiles(sessionId, filesVersion, say)
  const [isOpen, setOpen] = useState(false)
  const takesFiles = isOn && files.listing?.may_upload === true
  const mayPaste = isOn && mayType && files.listing?.may_paste === true

  const give = async (chosen: File[], folders: string[]): Promise<number[]> => {
    if (takesFiles) setOpen(true)
    else say(refusedWords(files.listing))
    return takesFiles ? files.give(chosen, folders) : []
  }
  const pasteFiles = (ids: number[]) => {
    if (!mayPaste || !ids.length) return
    paste(ids)
    say(onClipboardWords(ids.length))
  }
  return {
    takesFiles,
    give,
    giveAndPaste: (chosen: File[], folders: string[]) => void give(chosen, folders).then(pasteFiles),
    button: { files, isOpen, onOpen: setOpen, onClipboard: mayPaste ? pasteFiles : undefined },
  }
}
