-- Memos of 1 KB for wrk, each with an identifier of its own, from accounts in turn.
-- usage: wrk … -s accepts.lua URL -- FILE_OF_TOKENS
local tokens, text = {}, string.rep("0123456789abcdef", 64)
local body = '{"text":"' .. text .. '"}'
local count = 0
local threads = {}

function setup(thread)
    thread:set("number", #threads)
    table.insert(threads, thread)
end

function init(arguments)
    math.randomseed(os.time() * 1000 + number)
    for line in io.lines(arguments[1]) do table.insert(tokens, line) end
end

function request()
    count = count + 1
    local id = string.format(
        "%08x-%04x-4%03x-8%03x-%04x%08x",
        math.random(0, 0x7fffffff), math.random(0, 0xffff), math.random(0, 0xfff),
        math.random(0, 0xfff), number, count)
    local token = tokens[count % #tokens + 1]
    return wrk.format("PUT", "/v1/memos/" .. id, { ["Authorization"] = "Bearer " .. token }, body)
end

function done(summary, latency, requests)
    io.write(string.format(
        "result %d %d %d %d %d %d\n", summary.requests, summary.duration, summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write,
        summary.errors.timeout, latency:percentile(99)))
end
