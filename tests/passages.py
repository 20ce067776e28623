"""What a candidate might say, in our own words and with the terms of the real rubrics, by question."""

from __future__ import annotations

PASSAGES = {
    "q01": (
        "Prefill and decode stress the hardware in opposite ways. Prefill works on all prompt tokens together, so "
        "each weight that comes from HBM is used many times, the arithmetic intensity is high, and the phase is "
        "compute bound. Decode makes one token at a time. It reads every weight and the whole cache for a handful "
        "of multiplications, so it is memory bound, and memory bandwidth sets the pace. A larger batch size moves "
        "decode towards the ridge point of the roofline."
    ),
    "q03": (
        "A plain softmax needs the largest of the logits before it can divide, because the exponential would "
        "overflow in half precision. Online softmax reads the scores in blocks and keeps a running maximum and a "
        "running denominator. When a later block brings a larger score, the old sum is scaled down. FlashAttention "
        "builds on this: a block of the score matrix stays in SRAM, the output is corrected on the way, and the "
        "full matrix is never written to HBM."
    ),
    "q04": (
        "With static batching the whole batch waits for its longest answer. Continuous batching lets the scheduler "
        "decide again after every step: finished requests leave, waiting ones join after their prefill, and no "
        "padding is computed. The KV cache then grows and shrinks all the time, and that is why vLLM brings "
        "PagedAttention. A block table says where the blocks of each request lie, the attention kernel follows it, "
        "and throughput rises because memory is not wasted."
    ),
    "q05": (
        "All these variants shrink the KV cache. With multi-query attention all query heads share a single pair of "
        "keys and values, which is small but costs quality. In grouped-query attention a few query heads share one "
        "pair, so the number of KV heads is a dial between the two. DeepSeek went another way: multi-head latent "
        "attention stores one low-rank latent vector for each token, and because RoPE does not fit into that "
        "vector, decoupled RoPE keeps a small extra key."
    ),
    "q07": (
        "In speculative decoding a small draft model proposes several draft tokens, and the target model checks "
        "all of them in one pass. Rejection sampling keeps a token with the ratio of the two probabilities, and "
        "after the first rejection a new token is drawn from the residual distribution. That is why the "
        "distribution of the output does not change at all. With greedy decoding the check is a comparison with "
        "the argmax. What you gain depends on the acceptance rate and on the price of the draft."
    ),
    "q14": (
        "Perplexity is the exponential of the mean cross-entropy per token. If the loss is given in nats, I raise "
        "e to it, and if it is given in bits, I raise two to it. One way to read the number is as the size of a "
        "uniform distribution that would be just as hard to guess. Guessing over the whole vocabulary gives the "
        "vocabulary size as perplexity. Two models can be compared only if their tokenizer splits the text in the "
        "same way, since the mean is over each token."
    ),
    "q15": (
        "First the chat template turns the messages into one string and the tokenizer turns that into numbers. The "
        "scheduler looks for a prefix cache hit and reserves blocks of the KV cache, as PagedAttention wants it. "
        "Then come the embedding and the layers: RMSNorm, attention with RoPE through FlashAttention, and SwiGLU. "
        "The last position gives the logits, top-p sampling picks a token, and detokenization streams text to the "
        "client. TTFT is everything until then."
    ),
    "q18": (
        "I would name an SLO first, for example a limit on TTFT and one on TPOT at the ninety-fifth percentile. "
        "Then goodput, the rate of requests that keep both limits, says more than throughput alone. A larger batch "
        "size raises throughput but also latency. Queueing time shows up in TTFT before anything else. Long "
        "prompts make it worse, because their prefill blocks the decode of all the others, and chunked prefill "
        "spreads that work over many steps."
    ),
}
