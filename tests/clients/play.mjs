// Drives a GTP engine with Sabaki's own packages: `node play.mjs ENGINE ARGUMENT ...` plays a game and analyses it.
// Prints one JSON object about what happened; an assertion that fails ends with an error.

import assert from 'node:assert/strict'
import {createRequire} from 'node:module'

const require = createRequire(import.meta.url)
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')
const sgf = require('@sabaki/sgf')

const [path, ...args] = process.argv.slice(2)
const size = 5
const letters = 'abcdefghijklmnopqrs'
const columns = 'ABCDEFGHJKLMNOPQRST'

// As Sabaki reads a line of analysis (its modules/enginesyncer.js): pairs of key and value, the moves last.
function parseInfo(line) {
  return line
    .split(/\s*info\s+/)
    .slice(1)
    .map(part => part.trim())
    .map(part => {
      const match = part.match(/(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*\s*$/)
      return {text: part.slice(0, match.index), pv: match[0].trim().split(/\s+/)}
    })
    .map(({text, pv}) => {
      const words = text.trim().split(/\s+/).slice(0, -1)
      const pairs = Object.fromEntries(words.map((word, i) => [word, words[i + 1]]).filter((_, i) => i % 2 === 0))
      return {pairs, pv}
    })
}

function toSgf(vertex) {
  if (vertex.toLowerCase() === 'pass') return ''
  return letters[columns.indexOf(vertex[0].toUpperCase())] + letters[size - Number(vertex.slice(1))]
}

async function send(controller, line, subscriber) {
  const [name, ...args] = line.split(' ')
  const response = await controller.sendCommand({name, args}, subscriber)
  assert.equal(response.error, false, `${line}: ${response.content}`)
  return response.content
}

async function playGame(controller, tracker) {
  const moves = []
  await tracker.sync({komi: 6.5, boardsize: [size, size], history: []})
  for (let number = 0; number < 150; number++) {
    const color = number % 2 === 0 ? 'B' : 'W'
    const move = await send(controller, `genmove ${color}`)
    assert.match(move, /^(pass|resign|[A-HJ-T]\d+)$/)
    moves.push([color, move])
    if (move === 'resign' || (moves.length > 1 && moves.slice(-2).every(([, m]) => m === 'pass'))) break
  }
  assert.ok(moves.length < 150)
  return moves
}

function checkRecord(text, moves) {
  const [root] = sgf.parse(text)
  assert.deepEqual(root.data.SZ, [`${size}`])
  assert.deepEqual(root.data.KM, ['6.5'])
  const read = []
  for (let node = root.children[0]; node != null; node = node.children[0]) {
    const color = node.data.B != null ? 'B' : 'W'
    read.push([color, node.data[color][0]])
  }
  const played = moves.filter(([, move]) => move !== 'resign').map(([color, move]) => [color, toSgf(move)])
  assert.deepEqual(read, played)
}

// Take a move back and try another line, as a person does who browses through a game.
async function browse(controller, tracker, moves) {
  const history = moves
    .filter(([, move]) => move !== 'resign')
    .map(([color, move]) => ({name: 'play', args: [color, move]}))
  await tracker.sync({komi: 6.5, boardsize: [size, size], history: history.slice(0, 4)})
  const sgfText = await send(controller, 'printsgf')
  checkRecord(sgfText, moves.slice(0, 4))
  await tracker.sync({komi: 6.5, boardsize: [size, size], history})
  checkRecord(await send(controller, 'printsgf'), moves)
}

async function analyze(controller, tracker) {
  await tracker.sync({komi: 6.5, boardsize: [size, size], history: [{name: 'play', args: ['B', 'C3']}]})
  const command = ['analyze', 'kata-analyze', 'lz-analyze'].find(name => tracker._commands.includes(name))
  const groups = []
  let stopped = null
  const ended = send(controller, `${command} W 5`, ({line}) => {
    if (line.startsWith('info')) groups.push(parseInfo(line))
    if (groups.length === 3 && stopped == null) stopped = send(controller, 'protocol_version')
  })
  await ended
  assert.equal(await stopped, '2')
  assert.ok(groups.length >= 3)
  for (const group of groups.flat()) {
    assert.equal(group.pairs.move, group.pv[0])
    assert.ok(Number(group.pairs.visits) >= 0)
    assert.ok(Number(group.pairs.winrate) >= 0 && Number(group.pairs.winrate) <= 1)
    assert.ok(Number.isFinite(Number(group.pairs.scoreLead)))
  }
  return {command, lines: groups.length}
}

async function genmoveAnalyze(controller, tracker) {
  let played = null
  await send(controller, 'kata-genmove_analyze W 5', ({line}) => {
    const match = line.match(/^play (.*)$/)
    if (match != null) played = match[1]
  })
  assert.match(played, /^(pass|resign|[A-HJ-T]\d+)$/)
  const last = tracker.state.history.at(-1)
  assert.deepEqual(last, {name: 'play', args: ['W', played.toUpperCase()]})
}

const controller = new Controller(path, args)
const stderr = []
controller.on('stderr', ({content}) => stderr.push(content))
const tracker = new ControllerStateTracker(controller)
controller.start()
const name = await send(controller, 'name')
assert.ok(await tracker.knowsCommand('undo'))
const moves = await playGame(controller, tracker)
checkRecord(await send(controller, 'printsgf'), moves)
await browse(controller, tracker, moves)
const analysis = await analyze(controller, tracker)
await genmoveAnalyze(controller, tracker)
const failed = await controller.sendCommand({name: 'play', args: ['B', 'Z99']})
assert.equal(failed.error, true)
await controller.stop()
console.log(JSON.stringify({name, moves: moves.length, ...analysis, stderr}))
