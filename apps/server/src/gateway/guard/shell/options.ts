/** How the options of a program end. */
export interface Prefix {
  /** Letters of options that have a value. */
  values?: string
  /** Arguments of its own before the command. */
  operands?: number
  /** An assignment is the beginning of the command. */
  isAssignment?: boolean
}

/** Long options of programs that run others whose value is the next word. */
const LONG_WITH_VALUE = new Set(
  `--user --group --chdir --chroot --host --prompt --role --type --close-from --command-timeout --other-user --unset
  --adjustment --kill-after --signal --class --classdata --input --output --error --max-args --max-procs --delimiter
  --cwd --mode --project --container --namespace --context --kubeconfig --image --library-path --preload --argv0 --env --volume --workdir --network --publish --entrypoint --name --arg-file --eof --max-lines --max-chars --format --property --unit --uid --gid --timeout --wait --jobs
  --conflict-exit-code --userspec --groups --ruid --euid --rgid --egid --reuid --regid --inh-caps --ambient-caps
  --bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile --map-user --map-group --map-users
  --map-groups --propagation --setgroups --root --wd --setuid --setgid --monotonic --boottime --target --adjust
  --cpunodebind --membind --physcpubind --interleave --preferred --process-slot-var --interval --slice --nice
  --working-directory --setenv --description --service-type --machine --on-active --timer-property --trace
  --attach --sched-runtime --sched-deadline --sched-period --server-args --server-num --error-file --auth-file
  --wait-timeout --profile --max-lines --replace-str --shell --login-class --auth-type --config --pidfile`.split(/\s+/),
)

/** Words behind options, assignments and operands of a program's own. */
export function afterOptions(words: readonly string[], { values = '', operands = 0, isAssignment }: Prefix): string[] {
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (word === '--') {
      at++
      break
    }
    if (word.startsWith('--')) at += LONG_WITH_VALUE.has(word) ? 1 : 0
    else if (/^-./.test(word)) {
      const place = [...word.slice(1)].findIndex((letter) => values.includes(letter))
      if (place === word.length - 2) at++
    } else if (word !== '-' && (isAssignment || !/^[^=]+=/.test(word))) break
  }
  return words.slice(at + operands)
}

/** The value of an option, by its letter or its long name. */
export function optionValue(words: readonly string[], letter: string, long: string): string | undefined {
  for (const [at, word] of words.entries()) {
    if (word === long) return words[at + 1]
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1)
    if (word.startsWith('--') || !word.startsWith('-')) continue
    const place = word.indexOf(letter)
    if (place > 0) return place === word.length - 1 ? words[at + 1] : word.slice(place + 1)
  }
  return undefined
}
