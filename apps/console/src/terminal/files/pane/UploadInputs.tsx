import type { RefObject } from 'react'
import { chosenFiles, type Dropped } from '../transfer/dropped.ts'

interface UploadInputsProps {
  files: RefObject<HTMLInputElement | null>
  folders: RefObject<HTMLInputElement | null>
  onUpload: (chosen: Dropped) => void
}

/** The browser's own choice of files and of folders; clicked through their references. */
export function UploadInputs({ files, folders, onUpload }: UploadInputsProps) {
  const handleChange = ({ target }: { target: HTMLInputElement }) => {
    if (target.files) onUpload(chosenFiles(target.files))
    target.value = ''
  }
  return (
    <>
      <input ref={files} type="file" multiple hidden data-upload="files" onChange={handleChange} />
      <input
        ref={(element) => {
          folders.current = element
          // React knows no such attribute.
          element?.setAttribute('webkitdirectory', '')
        }}
        type="file"
        hidden
        data-upload="folder"
        onChange={handleChange}
      />
    </>
  )
}
