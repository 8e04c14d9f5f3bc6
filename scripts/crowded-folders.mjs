/** Files of code directly in one folder; subfolders that say what lives there take the rest. */
const MAX_FILES = 25

/**
 * Folders that hold too many files of code.
 * @param {string[]} paths files from the root of the repository, with slashes
 * @returns {string[]} one line a folder
 */
export function crowdedFolders(paths) {
  const folders = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('/')))
  return [...folders]
    .filter(([, files]) => files.length > MAX_FILES)
    .map(
      ([folder, { length }]) => `${folder} holds ${length} files: ${MAX_FILES} at most, divide it by what lives there`,
    )
}
